import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { browserProblem, chromiumPath } from '../../../../test/support/chromium.ts';
import { createScratch, openWorld } from '../../../../test/support/gateway.ts';
import { openRange } from '../../../../test/support/ssrf.ts';
import { plainVisitor } from '../../../../test/support/ssrf-visitors.ts';
import { createLog } from '../../../lib/log.ts';
import { createBubblewrapDriver } from '../../sandbox/bubblewrap/driver.ts';
import { createProcessDriver } from '../../sandbox/process/driver.ts';
import { browserContract, confinementContract } from '../contract.ts';
import { createPlaywrightDriver } from './driver.ts';

const log = createLog('silent');

describe.skipIf(browserProblem !== '')(`Chromium${browserProblem === '' ? '' : `: ${browserProblem}`}`, () => {
  browserContract('in bubblewrap', createPlaywrightDriver(), {
    sandboxes: (root) => createBubblewrapDriver({ root, log, path: process.env['PATH'] ?? '' }),
    loopback: true,
  });

  // Only the browser's own guards separate a page from the host's loopback here.
  confinementContract('without isolation', createPlaywrightDriver(), {
    sandboxes: (root) => createProcessDriver({ root, log, path: process.env['PATH'] ?? '' }),
    loopback: false,
  });

  test('without guards every group of the table reaches what is internal', async () => {
    const scratch = await createScratch();
    try {
      const range = await scratch.closing(openRange());
      const world = await scratch.closing(
        openWorld(
          { directory: join(scratch.path, 'doors') },
          { api: { url: range.internalUrl, authorization: () => Promise.resolve('Bearer session') } },
        ),
      );
      const visitor = await scratch.closing(plainVisitor(chromiumPath, { hostRules: range.hostRules }));
      const hits: Record<string, number> = {};
      for (const probe of range.probes(world.inside, { each: false })) {
        // External addresses must not be requested from this host. One successful probe per group is enough.
        if (probe.group === 'metadata and private' || (hits[probe.group] ?? 0) > 0) continue;
        hits[probe.group] = (hits[probe.group] ?? 0) + (await range.run(probe, visitor.visit)).hits;
      }
      expect(Object.entries(hits).filter(([, count]) => count === 0)).toEqual([]);
      expect(hits['sub-resources by name']).toBeGreaterThan(15);
    } finally {
      await scratch.dispose();
    }
  }, 180_000);
});

test('without Chromium the driver names what to install', async () => {
  const driver = createPlaywrightDriver({ executables: ['/nowhere/chromium'] });
  expect(await driver.probe()).toBe(
    "No browser is installed on this machine. Install Debian's package chromium-headless-shell (apt-get install --no-install-recommends chromium-headless-shell).",
  );
  const sandbox = { gatewayUrl: '', spawn: () => Promise.reject(new Error('not asked')) };
  await expect(driver.open({ sandbox, loopback: false })).rejects.toMatchObject({ retryable: false });
});
