import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { tendMirror } from '../git/mirror-generations.ts';
import type { SandboxDriver } from '../adapters/sandbox/port.ts';
import { removeTree } from '../adapters/sandbox/system.ts';
import { missingOrganizations } from '../features/organizations/purge-service.ts';
import { missingRepositories } from '../features/repositories/purge-service.ts';
import { messageOf } from '../lib/errors.ts';
import type { WorkerContext } from './context.ts';

/** A running attempt changes its directory more often than this, with each checkpoint. */
const abandonedMs = 24 * 60 * 60_000;

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
    await sweepMirrors(ctx);
    const layers = join(ctx.workDirectory, 'layers');
    for (const orgId of await missingOrganizations(ctx, await readdir(layers).catch(() => [])))
      await removeTree(join(layers, orgId));
  } catch (error) {
    ctx.log.warn({ reason: messageOf(error) }, 'failed to remove leftovers of dead workers');
  }
}

/** Paths are `<organization>/<connection>/<repository>.git`, each with its lock and its generations beside it. */
async function sweepMirrors(ctx: Pick<WorkerContext, 'db' | 'mirrorsDirectory' | 'log'>): Promise<void> {
  const entries = async (...path: string[]) => readdir(join(ctx.mirrorsDirectory, ...path)).catch(() => []);
  for (const orgId of await missingOrganizations(ctx, await entries()))
    await rm(join(ctx.mirrorsDirectory, orgId), { recursive: true, force: true });
  for (const orgId of await entries())
    for (const connectionId of await entries(orgId)) {
      const byRepository = Map.groupBy(await entries(orgId, connectionId), (name) => name.split('.', 1)[0] ?? '');
      for (const id of await missingRepositories(ctx, [...byRepository.keys()]))
        for (const name of byRepository.get(id) ?? [])
          await rm(join(ctx.mirrorsDirectory, orgId, connectionId, name), { recursive: true, force: true });
      await renewMirrors(ctx, join(ctx.mirrorsDirectory, orgId, connectionId));
    }
}

const renewalTimeoutMs = 30 * 60_000;

async function renewMirrors(ctx: Pick<WorkerContext, 'log'>, directory: string): Promise<void> {
  const all = await readdir(directory).catch(() => []);
  const byMirror = Map.groupBy(all, (name) => `${name.split('.git', 1)[0] ?? ''}.git`);
  for (const [mirror, names] of byMirror)
    try {
      await tendMirror(join(directory, mirror), names, { timeoutMs: renewalTimeoutMs });
    } catch (error) {
      ctx.log.warn({ mirror, reason: messageOf(error) }, 'failed to renew a mirror');
    }
}
