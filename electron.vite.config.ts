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
          main: 'src/main/main.ts',
          core: 'src/main/core.ts',
          cli: 'src/cli/cli.ts',
          embedderWorker: 'src/core/embedding/embedderWorker.ts',
          searchWorker: 'src/core/search/searchWorker.ts',
          parseWorker: 'src/core/vaults/parseWorker.ts',
          copyCheckWorker: 'src/core/lifecycle/copyCheckWorker.ts',
          copyErasureWorker: 'src/core/lifecycle/copyErasureWorker.ts',
          importWorker: 'src/core/chat/imports/importWorker.ts',
          attachmentWorker: 'src/core/attachments/attachmentWorker.ts',
          rowCheckWorker: 'src/core/lifecycle/rowCheckWorker.ts',
        },
        output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  },
  preload: {
    build: {
      outDir: 'out/preload',
      // A sandboxed preload is CommonJS.
      rollupOptions: {
        input: { preload: 'src/preload/preload.ts' },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
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
