import { globSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { SlowestFirst } from './scripts/test-order.js';

/** Files in the folders below that start no program, or a few: they share processes with the others of their kind. */
const exceptions = [
  'server/src/adapters/agent/{drivers,builtin/failures}.test.ts',
  'server/src/adapters/sandbox/bubblewrap/{seccomp,toolchain}.test.ts',
  'server/src/adapters/source-control/local/diff-cache.test.ts',
  'server/src/app/sockets.test.ts',
  'server/src/features/repositories/{diff-json,turns}.test.ts',
  'server/src/gateway/git/push-gate.test.ts',
  'server/src/gateway/registry/{link-rewriter,links}.test.ts',
  'server/src/git/{pkt-line,transaction-scope,pack/judge}.test.ts',
  'server/src/runtime/eviction.test.ts',
  'server/src/runtime/session/attempt/decide.test.ts',
  'server/src/runtime/session/checks/{check,outcome}.test.ts',
  'server/src/runtime/session/log/{event-writer,tool-call-attribution}.test.ts',
  'server/src/runtime/session/phases/report.test.ts',
  'server/test/{audited,changes,child-rights,conformance,examples,headers,layout,principals,rights,tenancy}.test.ts',
];
/**
 * Everything that starts many programs: sandboxes, workers, servers, browsers, git. Each file has a process of its own: in
 * one that has run a hundred others, waits of the console's tests ran out.
 */
const programs = globSync(
  [
    'server/src/adapters/{agent,browser,sandbox,source-control}/**/*.test.ts',
    'server/src/{runtime,git,db/embedded,gateway/git,gateway/registry}/**/*.test.ts',
    'server/src/features/{browser,console,repositories,reviews}/**/*.test.ts',
    'server/src/features/organizations/purge.test.ts',
    'server/src/{*,app/*,app/reviewbench/*}.test.ts',
    'server/test/*.test.ts',
    'server/test/{failures,fuzz,hostile}/*.test.ts',
  ],
  { cwd: import.meta.dirname, exclude: exceptions },
);
/** Everything that needs the database; each file has an API, or a database, of its own. */
const api = [
  'server/src/{db,features,gateway,http,jobs,outbox}/**/*.test.ts',
  'server/test/*.test.ts',
  'server/test/{matrix,source}/*.test.ts',
];

export default defineConfig({
  test: {
    pool: 'forks',
    // Projects do not take it from the command line.
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
    projects: [
      {
        extends: true,
        // As `npm start` does.
        test: { name: 'programs', include: programs, execArgv: ['--max-semi-space-size=4'] },
      },
      { extends: true, test: { name: 'api', include: api, exclude: programs, isolate: false } },
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['{server,client,console,scripts,scripted-model}/**/*.test.ts'],
          exclude: [...programs, ...api, '**/node_modules/**'],
          isolate: false,
        },
      },
    ],
  },
});
