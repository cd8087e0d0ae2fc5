import { join } from 'node:path';
import { expect } from 'vitest';
import { createScratch, openWorld, startPeer } from '../../../test/support/gateway.ts';
import { openRange, type Range } from '../../../test/support/ssrf.ts';
import type { Sandbox, SandboxDriver } from '../sandbox/port.ts';
import { processesIn, type BrowserProcesses } from './processes-fixture.ts';
import { pageServer } from './page-fixture.ts';
import { BrowserError, type Browser, type BrowserDriver } from './port.ts';

export interface BrowserWorldOptions {
  /** The sandboxes that the browsers run in. */
  sandboxes: (root: string) => SandboxDriver;
  /** True if they have their own loopback. */
  loopback: boolean;
}

/** The shared fixture of the contract's tests: a browser in a sandbox, and pages to visit. */
export interface BrowserWorld {
  readonly browser: Browser;
  readonly sandbox: Sandbox;
  readonly processes: BrowserProcesses;
  /** The URL of the pages, without a trailing slash. */
  readonly site: string;
  readonly range: Range;
  /** Replaces a browser that is gone by another one. */
  reopen(): Promise<void>;
  close(): Promise<void>;
}

export const soon = { timeoutMs: 15_000 } as const;
const limits = { cpu: 2, memory_mb: 2048, disk_mb: 512, pids: 512 };

export async function openBrowserWorld(driver: BrowserDriver, options: BrowserWorldOptions): Promise<BrowserWorld> {
  expect(await driver.probe()).toBe('');
  const scratch = await createScratch();
  const range = await scratch.closing(openRange());
  const pages = await scratch.closing(startPeer(pageServer));
  const { endpoint } = await scratch.closing(
    openWorld(
      {
        directory: join(scratch.path, 'doors'),
        lookup: range.lookup,
        egressAllow: [...range.egressAllow, { purpose: '*', target: `pages.test:${pages.port}` }],
      },
      // An internal server is also behind the gateway.
      { network: 'open', api: { url: range.internalUrl, authorization: () => Promise.resolve('Bearer session') } },
    ),
  );
  const sandbox = await options.sandboxes(join(scratch.path, 'sandboxes')).create({
    id: 'browser',
    limits,
    gateway: await endpoint.address(),
    mounts: driver.readOnly,
  });
  const open = (): Promise<Browser> => driver.open({ sandbox, loopback: options.loopback });
  let browser = await open();
  return {
    get browser() {
      return browser;
    },
    sandbox,
    processes: processesIn(sandbox),
    site: `http://pages.test:${pages.port}`,
    range,
    async reopen() {
      browser = await open();
    },
    async close() {
      await browser.close();
      await sandbox.destroy();
      await scratch.dispose();
    },
  };
}

/** Returns the code and message with which a browser refuses a call. */
export async function refusalOf(call: Promise<unknown>): Promise<[string, string]> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof BrowserError)) throw new Error(`not refused: ${String(error)}`);
  return [error.code, error.message];
}
