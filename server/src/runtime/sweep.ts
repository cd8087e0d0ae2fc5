import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { maintainMirror } from '../git/mirror-generations.ts';
import type { SandboxDriver } from '../adapters/sandbox/port.ts';
import { removeTree } from '../adapters/sandbox/system.ts';
import { missingOrganizations } from '../features/organizations/purge-service.ts';
import { missingRepositories } from '../features/repositories/purge-service.ts';
import { messageOf } from '../lib/errors.ts';
import type { WorkerContext } from './context.ts';

/** A running attempt changes its directory more often than this, with each checkpoint. */
const abandonedMs = 24 * 60 * 60_000;

const sweepMs = 30_000;

/**
 * Removes leftovers, keeps the caches within their share of the disk, and maintains the mirrors, from now on. Nobody waits
 * for it: leftovers are in nobody's way. The maintenance of a large mirror takes minutes, so the rest does not wait for it
 * either. The returned function stops it.
 */
export function keepSwept(ctx: WorkerContext): () => void {
  const stops = [
    repeat(async () => {
      await sweep(ctx);
      await ctx.cache.evict();
    }),
    repeat(() => maintainMirrors(ctx)),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** Does work that never rejects now and every half a minute, one at a time. The returned function stops it. */
function repeat(work: () => Promise<void>): () => void {
  let isWorking = false;
  const run = async (): Promise<void> => {
    if (isWorking) return;
    isWorking = true;
    await work();
    isWorking = false;
  };
  void run();
  const timer = setInterval(() => void run(), sweepMs);
  return () => clearInterval(timer);
}

/**
 * Removes the sandboxes and run directories that dead workers left on this host, and the mirrors and layers of deleted
 * organizations and repositories. Never rejects.
 */
export async function sweep(
  ctx: Pick<WorkerContext, 'db' | 'workDirectory' | 'mirrorsDirectory' | 'log'> & {
    sandbox: Pick<SandboxDriver, 'sweep'>;
  },
): Promise<void> {
  try {
    const sandboxes = await ctx.sandbox.sweep();
    if (sandboxes > 0) ctx.log.info({ sandboxes }, 'removed sandboxes of dead workers');
    const runs = join(ctx.workDirectory, 'runs');
    for (const name of await readdir(runs).catch(() => [])) {
      const path = join(runs, name);
      const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
      if (Date.now() - mtimeMs > abandonedMs) await rm(path, { recursive: true, force: true });
    }
    for await (const path of listLeftovers(ctx)) await removeTree(path);
  } catch (error) {
    ctx.log.warn({ reason: messageOf(error) }, 'failed to remove leftovers of dead workers');
  }
}

type SweepDirectories = Pick<WorkerContext, 'db' | 'workDirectory' | 'mirrorsDirectory'>;

/**
 * Lists the paths of mirrors and layers of deleted organizations and repositories. Those of mirrors are
 * `<organization>/<connection>/<repository>.git`, each with its lock and its generations beside it.
 */
export async function* listLeftovers(ctx: SweepDirectories): AsyncGenerator<string> {
  const layers = join(ctx.workDirectory, 'layers');
  for (const orgId of await missingOrganizations(ctx, await namesIn(layers))) yield join(layers, orgId);
  const mirrors = ctx.mirrorsDirectory;
  const gone = new Set(await missingOrganizations(ctx, await namesIn(mirrors)));
  for (const orgId of gone) yield join(mirrors, orgId);
  for (const orgId of await namesIn(mirrors)) {
    if (gone.has(orgId)) continue;
    for (const connectionId of await namesIn(mirrors, orgId)) {
      const all = await namesIn(mirrors, orgId, connectionId);
      const byRepository = Map.groupBy(all, (name) => name.split('.', 1)[0] ?? '');
      for (const id of await missingRepositories(ctx, [...byRepository.keys()]))
        for (const name of byRepository.get(id) ?? []) yield join(mirrors, orgId, connectionId, name);
    }
  }
}

/** Maintains all mirrors, one after the other. Never rejects. */
async function maintainMirrors(ctx: Pick<WorkerContext, 'mirrorsDirectory' | 'log' | 'config'>): Promise<void> {
  for (const orgId of await namesIn(ctx.mirrorsDirectory))
    for (const connectionId of await namesIn(ctx.mirrorsDirectory, orgId))
      await renewMirrors(ctx, join(ctx.mirrorsDirectory, orgId, connectionId));
}

async function namesIn(...path: string[]): Promise<string[]> {
  return readdir(join(...path)).catch(() => []);
}

const renewalTimeoutMs = 30 * 60_000;

async function renewMirrors({ log, config }: Pick<WorkerContext, 'log' | 'config'>, directory: string): Promise<void> {
  const all = await readdir(directory).catch(() => []);
  const byMirror = Map.groupBy(all, (name) => `${name.split('.git', 1)[0] ?? ''}.git`);
  for (const [mirror, names] of byMirror)
    try {
      const within = { leaveBytes: config.diskReserve / 2 };
      await maintainMirror(join(directory, mirror), names, { timeoutMs: renewalTimeoutMs, within });
    } catch (error) {
      log.warn({ mirror, reason: messageOf(error) }, 'failed to renew a mirror');
    }
}
