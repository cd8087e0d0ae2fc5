import { defineConfig } from 'vitest/config';
import { SlowestFirst } from './scripts/test-order.js';

/** Everything that starts sandboxes, workers, servers or browsers, and so many programs. */
const sandbox = [
  'server/src/{runtime,adapters/browser,adapters/sandbox}/**/*.test.ts',
  'server/src/features/browser/*.test.ts',
  'server/src/{*,app/*}.test.ts',
  'server/test/*.test.ts',
  'server/test/{failures,hostile}/*.test.ts',
];
/** Everything that needs the database; each file has an API, or a database, of its own. */
const api = [
  'server/src/{adapters/source-control,db,features,gateway,http,jobs,outbox}/**/*.test.ts',
  'server/test/{fuzz,matrix,source}/*.test.ts',
];

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A machine that stalls for a moment refuses no change. The run names each test that passed on retry, and its first error.
    retry: process.env['CI'] === 'true' ? 1 : 0,
    globalSetup: ['server/test/global-setup.ts'],
    sequence: { sequencer: SlowestFirst },
    // Node loads TypeScript by itself, and keeps what it compiled.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    projects: [
      { extends: true, test: { name: 'sandbox', include: sandbox } },
      { extends: true, test: { name: 'api', include: api, exclude: sandbox, isolate: false } },
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['{server,client,scripts,scripted-model}/**/*.test.ts'],
          exclude: [...sandbox, ...api, '**/node_modules/**'],
          isolate: false,
        },
      },
    ],
  },
});
