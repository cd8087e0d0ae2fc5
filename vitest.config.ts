import { defineConfig } from 'vitest/config';
import { SlowestFirst } from './scripts/test-order.js';

export default defineConfig({
  test: {
    include: ['{server,client,console,scripts,scripted-model}/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    pool: 'forks',
    // One process runs many files: each new one would load the server again.
    isolate: false,
    maxWorkers: Number(process.env['GUILDHALL_TEST_WORKERS'] ?? 3),
    // Several times of what a quiet machine needs: a busy one refuses no change.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000, interval: 50 } },
    globalSetup: ['server/test/global-setup.ts'],
    setupFiles: ['server/test/fast-imports.ts', 'server/test/processor-time.ts', 'server/test/keep-compiled.ts'],
    sequence: { sequencer: SlowestFirst },
    // Node loads TypeScript by itself, and keeps what it compiled.
    experimental: { viteModuleRunner: false, nodeLoader: false },
  },
});
