import { availableParallelism } from 'node:os';
import type { Browser } from '../../adapters/browser/port.ts';
import type { Sandbox, SandboxLimits } from '../../adapters/sandbox/port.ts';
import type { GatewayEndpoint } from '../../gateway/gateway.ts';
import { machineMemory } from '../../lib/machine-memory.ts';
import { shareOf } from '../../lib/machine-share.ts';
import type { WorkerContext } from '../context.ts';

export type BrowserContext = Pick<
  WorkerContext,
  'db' | 'clock' | 'log' | 'config' | 'notifications' | 'workerCalls' | 'sandbox' | 'gateway' | 'browser'
>;

/** A browser in its own sandbox, whose gateway endpoint leads to the web only. */
export interface BrowserSandbox {
  readonly browser: Browser;
  readonly sandbox: Sandbox;
  readonly endpoint: GatewayEndpoint;
}

/** Ample for a page, and small enough to run several on one machine. */
const limits: SandboxLimits = { cpu: 1, memory_mb: 1_024, disk_mb: 512, pids: 512 };
const maxSlots = 10;

/** Number of browsers that fit into this process's share of half of the machine's memory. */
export function defaultBrowserSlots(): number {
  const ofMachine = Math.min(maxSlots, Math.floor(machineMemory().totalMb / 2 / limits.memory_mb));
  return Math.max(1, shareOf(ofMachine));
}

/** Starts a browser in a sandbox of its own. On failure it removes everything it created. */
export async function openBrowserSandbox(
  ctx: BrowserContext,
  id: string,
  { network, allowedHosts }: { network: 'open' | 'allowlist'; allowedHosts: readonly string[] },
  signal: AbortSignal,
): Promise<BrowserSandbox> {
  const undo: (() => Promise<void>)[] = [];
  try {
    const endpoint = await ctx.gateway.open({
      id,
      purpose: 'browser',
      holds: async () => false,
      repositories: [],
      network,
      allowedHosts,
    });
    undo.push(() => endpoint.close());
    const sandbox = await ctx.sandbox.create({
      id,
      limits: { ...limits, cpu: Math.min(limits.cpu, availableParallelism()) },
      gateway: await endpoint.address(),
      mounts: ctx.browser.readOnly,
      signal,
    });
    undo.push(() => sandbox.destroy());
    const browser = await ctx.browser.open({ sandbox, loopback: false, signal });
    return { browser, sandbox, endpoint };
  } catch (error) {
    for (const step of undo.reverse()) await step();
    throw error;
  }
}

/** Ends a browser and removes its sandbox. Never rejects. */
export async function closeBrowserSandbox({ browser, sandbox, endpoint }: BrowserSandbox): Promise<void> {
  await sandbox.destroy();
  await Promise.all([browser.close(), endpoint.close()]);
}
