import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { open } from '../../../server/src/features/secrets/envelope.ts';
import { openKeyRing } from '../../../server/src/key-ring.ts';
import { systemClock } from '../../../server/src/lib/clock.ts';
import { inParallel, type Aftermath, type Check } from './check.ts';
import { git, type Project } from './project.ts';

interface Row {
  org_id: string;
  session_id: string;
  seq: number;
  commit: string;
  base_commit: string;
  blob: string;
  size_bytes: number;
}

/**
 * Every checkpoint that a log tells of has its row, and its bundle lies in the blob store: git takes it into a repository
 * that holds nothing but the base, and finds every object sound. What lies there is sealed with the organization's key.
 */
export async function checkCheckpoints({ installation, projects, sessions, logs }: Aftermath): Promise<Check> {
  const { rows } = await installation.postgres.db.pool.query<Row>(
    'select org_id, session_id, seq, commit, base_commit, blob, size_bytes from session_checkpoints',
  );
  const byEvent = new Map(rows.map((row) => [`${row.session_id} ${row.seq}`, row]));
  const told = sessions.flatMap((session) =>
    (logs.get(session.id) ?? []).flatMap((event) =>
      event.kind === 'checkpoint' ? [{ session, seq: event.seq, commit: event.data.commit }] : [],
    ),
  );
  const mirrors = await cloneProjects(installation, projects);
  const bundleOf = await bundles(installation);
  const problems = await inParallel(told, async ({ session, seq, commit }) => {
    const row = byEvent.get(`${session.id} ${seq}`);
    if (row === undefined || row.commit !== commit) return `${session.id} checkpoint ${seq} has no row`;
    const problem = await problemOf(row, await bundleOf(row), mirrors.get(session.project.id) ?? '');
    return problem === undefined ? undefined : `${session.id} checkpoint ${seq}: ${problem}`;
  });
  const violations = problems.filter((problem) => problem !== undefined);
  if (rows.length !== told.length) violations.push(`${rows.length} rows for ${told.length} events`);
  const figure = `${violations.length} of ${told.length.toLocaleString('en')}`;
  return { what: 'checkpoints lost, or whose bundle git refuses', figure, violations };
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

/** Reads bundles as they were before they were sealed; undefined when one is missing or broken. */
async function bundles({ directory, postgres, blobs }: Aftermath['installation']) {
  const config = { keyRing: join(directory, 'key-ring'), keyRingValue: () => '' };
  const ctx = { db: postgres.db, keyRing: await openKeyRing(config, postgres.db, systemClock) };
  return async ({ org_id, blob }: Row): Promise<Buffer | undefined> => {
    const sealed = await readFile(join(blobs, blob)).catch(() => undefined);
    if (sealed === undefined) return undefined;
    return open(ctx, org_id, `checkpoint ${blob}`, sealed).catch(() => undefined);
  };
}

/** What is wrong with a bundle; objects go into a quarantine, so that no checkpoint leans on another one. */
async function problemOf(row: Row, content: Buffer | undefined, mirror: string): Promise<string | undefined> {
  if (row.size_bytes === 0) return row.commit === row.base_commit ? undefined : 'is empty but not the base';
  if (content === undefined) return `${row.blob} is not in the blob store, or cannot be opened`;
  if (content.length !== row.size_bytes) return `${row.blob} has ${content.length} bytes instead of ${row.size_bytes}`;
  const quarantine = mkdtempSync(join(mirror, 'quarantine-'));
  const bundle = join(quarantine, 'bundle');
  await writeFile(bundle, content);
  const env = { GIT_OBJECT_DIRECTORY: quarantine, GIT_ALTERNATE_OBJECT_DIRECTORIES: join(mirror, 'objects') };
  const options = { cwd: mirror, env };
  try {
    await git(['bundle', 'verify', '-q', bundle], options);
    const heads = await git(['bundle', 'unbundle', bundle], options);
    if (!heads.startsWith(row.commit)) return `${row.blob} holds ${heads.trim()} instead of ${row.commit}`;
    await git(['fsck', '--strict', '--no-dangling', '--connectivity-only', row.commit], options);
    return undefined;
  } catch (error) {
    return `git refuses ${row.blob}: ${String(error).slice(0, 500)}`;
  } finally {
    rmSync(quarantine, { recursive: true, force: true });
  }
}
