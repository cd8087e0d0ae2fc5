import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openFilesystemBlobStore } from '../../../server/src/adapters/blobs/filesystem/blob-store.ts';
import { openCheckpoints, receiveBundle } from '../../../server/src/git/checkpoints.ts';
import { fetchPart, maxPartBytes, partsOf } from '../../../server/src/features/sessions/run/checkpoint-parts.ts';
import { openKeyRing } from '../../../server/src/app/key-ring.ts';
import { systemClock } from '../../../server/src/lib/clock.ts';
import { createLog } from '../../../server/src/lib/log.ts';
import { inParallel, type Aftermath, type Check } from './check.ts';
import { git, type Project } from './project.ts';

interface Row {
  org_id: string;
  session_id: string;
  repo: string;
  seq: number;
  commit: string;
  blob: string;
  size_bytes: number;
  base_commit: string;
  parts: unknown;
  binaries: boolean;
}

/**
 * Checks that every logged checkpoint has its row, and that the bundles of the newest one are in the blob store: git
 * accepts them in a repository with only the base, finds every object sound, and then has every logged commit. The
 * bundles are sealed with the organization's key.
 */
export async function checkCheckpoints({ installation, projects, sessions, logs }: Aftermath): Promise<Check> {
  const { rows } = await installation.postgres.db.pool.query<Row>('select * from session_checkpoints order by seq');
  const byEvent = new Map(rows.map((row) => [`${row.session_id} ${row.seq}`, row]));
  const mirrors = await cloneProjects(installation, projects);
  const restore = await restorer(installation);
  let told = 0;
  const problems = await inParallel(sessions, async ({ id, project }) => {
    const found: string[] = [];
    const commits = new Set<string>();
    for (const event of logs.get(id) ?? []) {
      if (event.kind !== 'checkpoint') continue;
      told += 1;
      const row = byEvent.get(`${id} ${event.seq}`);
      if (row?.commit === event.data.commit) commits.add(row.commit);
      else found.push(`${id} checkpoint ${event.seq} has no row`);
    }
    const newest = rows.findLast((row) => row.session_id === id);
    if (newest === undefined) return found;
    const problem = await restore(newest, mirrors.get(project.id) ?? '', [...commits]);
    return problem === undefined ? found : [...found, `${id}: ${problem}`];
  });
  const violations = problems.flat();
  if (rows.length !== told) violations.push(`${rows.length} rows for ${told} events`);
  const figure = `${violations.length} of ${told.toLocaleString('en')}`;
  return { what: 'checkpoints lost, or whose bundles git refuses', figure, violations };
}

async function cloneProjects(
  { directory, key }: Aftermath['installation'],
  projects: readonly Project[],
): Promise<Map<string, string>> {
  const parent = join(directory, 'mirrors');
  mkdirSync(parent, { recursive: true });
  const clones = await inParallel(projects, async ({ id, cloneUrl }) => {
    const path = mkdtempSync(join(parent, 'base-'));
    await git(['clone', '-q', '--bare', '--single-branch', '--branch', 'main', cloneUrl, path], { cwd: parent, key });
    return [id, path] as const;
  });
  return new Map(clones);
}

/**
 * Returns a function that checks a chain of bundles; each in its own repository, so that no session depends on another
 * one's objects.
 */
async function restorer({ directory, postgres, blobs }: Aftermath['installation']) {
  const config = { keyRing: join(directory, 'key-ring'), keyRingValue: () => '' };
  const ctx = {
    db: postgres.db,
    keyRing: await openKeyRing(config, { db: postgres.db, clock: systemClock, log: createLog('warn') }),
    blobs: await openFilesystemBlobStore({ directory: blobs }),
  };
  return async (row: Row, mirror: string, commits: readonly string[]): Promise<string | undefined> => {
    const quarantine = mkdtempSync(join(directory, 'mirrors', 'quarantine-'));
    const path = join(quarantine, 'restored.git');
    const file = join(quarantine, 'bundle');
    try {
      await openCheckpoints(path, { mirrorPath: mirror });
      for (const { blob, commit, size_bytes } of partsOf(row)) {
        if (!(await fetchPart(ctx, row.org_id, { blob, maxBytes: maxPartBytes, file })))
          return `${blob} is not in the blob store`;
        const { size } = statSync(file);
        if (size !== size_bytes) return `${blob} has ${size} bytes instead of ${size_bytes}`;
        const held = await receiveBundle(path, file, { ref: 'refs/guildhall/line' });
        if (held !== commit) return `${blob} holds ${held} instead of ${commit}`;
      }
      await git(['fsck', '--strict', '--no-dangling', '--connectivity-only', ...commits], { cwd: path });
      for (const kind of ['diff', 'patch'])
        if ((await ctx.blobs.head(`${row.blob}.${kind}`)) === undefined) return `the ${kind} of ${row.blob} is missing`;
      return undefined;
    } catch (error) {
      return `the bundles of ${row.blob}: ${String(error).slice(0, 500)}`;
    } finally {
      rmSync(quarantine, { recursive: true, force: true });
    }
  };
}
