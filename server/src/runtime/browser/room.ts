import { availableParallelism } from 'node:os';
import type { Browser } from '../../adapters/browser/port.ts';
import type { Sandbox, SandboxLimits } from '../../adapters/sandbox/port.ts';
import type { GatewayEndpoint } from '../../gateway/gateway.ts';
import { machineMemory } from '../../lib/machine-memory.ts';
import type { WorkerContext } from '../context.ts';

export type RoomContext = Pick<
  WorkerContext,
  'db' | 'clock' | 'log' | 'config' | 'notifications' | 'workerCalls' | 'sandbox' | 'gateway' | 'browser'
>;

/** A browser with what it has for itself: a sandbox, and a way out that leads to the web and nowhere else. */
export interface BrowserRoom {
  readonly browser: Browser;
  readonly sandbox: Sandbox;
  readonly door: GatewayEndpoint;
}

/** Far more than a page needs, and little enough for several of them on one machine. */
const limits: SandboxLimits = { cpu: 1, memory_mb: 1_024, disk_mb: 512, pids: 512 };
const mostSlots = 10;

/** How many browsers this machine runs at once: half of its memory may be theirs. */
export function slotsOfMachine(): number {
  return Math.max(1, Math.min(mostSlots, Math.floor(machineMemory().totalMb / 2 / limits.memory_mb)));
}

/** Starts a browser in a sandbox of its own. Rejects with nothing left behind. */
export async function openRoom(
  ctx: RoomContext,
  id: string,
  { network, allowedHosts }: { network: 'open' | 'allowlist'; allowedHosts: readonly string[] },
  signal: AbortSignal,
): Promise<BrowserRoom> {
  const undo: (() => Promise<void>)[] = [];
  try {
    const door = await ctx.gateway.open({
      id,
      purpose: 'browser',
      holds: async () => false,
      repositories: [],
      network,
      allowedHosts,
    });
    undo.push(() => door.close());
    const sandbox = await ctx.sandbox.create({
      id,
      limits: { ...limits, cpu: Math.min(limits.cpu, availableParallelism()) },
      gateway: door.address,
      mounts: ctx.browser.readOnly,
      signal,
    });
    undo.push(() => sandbox.destroy());
    const browser = await ctx.browser.open({ sandbox, loopback: false, signal });
    return { browser, sandbox, door };
  } catch (error) {
    for (const step of undo.reverse()) await step();
    throw error;
  }
}

/** Ends a browser with every process and file of it. Never fails. */
export async function closeRoom({ browser, sandbox, door }: BrowserRoom): Promise<void> {
  await sandbox.destroy();
  await Promise.all([browser.close(), door.close()]);
}
