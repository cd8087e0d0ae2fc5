import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { inParallel, type Aftermath, type Check } from './check.ts';
import { git, type Project } from './project.ts';

interface Row {
  session_id: string;
  seq: number;
  commit: string;
  base_commit: string;
  blob: string;
  size_bytes: number;
}

/**
 * Every checkpoint that a log tells of has its row, and its bundle lies in the blob store: git takes it into a repository
 * that holds nothing but the base, and finds every object sound.
 */
export async function checkCheckpoints({ installation, projects, sessions, logs }: Aftermath): Promise<Check> {
  const { rows } = await installation.postgres.db.pool.query<Row>(
    'select session_id, seq, commit, base_commit, blob, size_bytes from session_checkpoints',
  );
  const byEvent = new Map(rows.map((row) => [`${row.session_id} ${row.seq}`, row]));
  const told = sessions.flatMap((session) =>
    (logs.get(session.id) ?? []).flatMap((event) =>
      event.kind === 'checkpoint' ? [{ session, seq: event.seq, commit: event.data.commit }] : [],
    ),
  );
  const mirrors = await cloneProjects(installation, projects);
  const problems = await inParallel(told, async ({ session, seq, commit }) => {
    const row = byEvent.get(`${session.id} ${seq}`);
    if (row === undefined || row.commit !== commit) return `${session.id} checkpoint ${seq} has no row`;
    const problem = await problemOf(row, join(installation.blobs, row.blob), mirrors.get(session.project.id) ?? '');
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

/** What is wrong with a bundle; objects go into a quarantine, so that no checkpoint leans on another one. */
async function problemOf(row: Row, bundle: string, mirror: string): Promise<string | undefined> {
  if (row.size_bytes === 0) return row.commit === row.base_commit ? undefined : 'is empty but not the base';
  const found = await stat(bundle).catch(() => undefined);
  if (found === undefined) return `${row.blob} is not in the blob store`;
  if (found.size !== row.size_bytes) return `${row.blob} has ${found.size} bytes instead of ${row.size_bytes}`;
  const quarantine = mkdtempSync(join(mirror, 'quarantine-'));
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
