import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

// Tests start hundreds of processes and threads that run unbuilt: each would strip types and compile the same files again.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules', '.cache', 'souvenir-code');

export default defineConfig({
  test: {
    include: [
      'src/**/*.test.{ts,tsx}',
      'test/integration/**/*.test.ts',
      'test/security/**/*.test.ts',
      'test/fuzz/**/*.test.ts',
    ],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // One more than the smallest machine has processors: many tests wait for processes and disks.
    maxWorkers: 3,
    // Unbuilt, every thread of the core loads Node's type stripper, which is WebAssembly. While V8 replaces its code by optimised
    // code it can abort the process when threads come and go (nodejs/node#64500).
    execArgv: ['--no-wasm-tier-up'],
  },
});
