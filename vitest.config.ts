import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{server,client,cli,scripts,scripted-model}/**/*.test.ts'],
    globalSetup: ['server/test/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
