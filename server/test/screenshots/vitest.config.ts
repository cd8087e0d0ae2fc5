import { defineConfig } from 'vitest/config';

/** Draws the pictures of the documentation: `npm run screenshots`. It is a test run, because it needs what tests have. */
export default defineConfig({
  test: {
    root: new URL('../../..', import.meta.url).pathname,
    include: ['server/test/screenshots/draw.ts'],
    pool: 'forks',
    testTimeout: 1_800_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000, interval: 50 } },
    globalSetup: ['server/test/global-setup.ts'],
    experimental: { viteModuleRunner: false, nodeLoader: false },
  },
});
