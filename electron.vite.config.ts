import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';

/**
 * One build for every host. Node entries keep flat names, so that a worker lies beside the file that starts it.
 */
export default defineConfig({
  main: {
    build: {
      outDir: 'out/main',
      rollupOptions: {
        input: {
          cli: 'src/cli/cli.ts',
          embedderWorker: 'src/core/models/embedderWorker.ts',
          parseWorker: 'src/core/indexing/parseWorker.ts',
        },
        output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  },
  renderer: {
    root: 'src/renderer',
    plugins: [react()],
    build: {
      outDir: 'out/renderer',
      minify: true,
      chunkSizeWarningLimit: 1_500,
      rollupOptions: { input: 'src/renderer/index.html' },
    },
  },
});
