import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/*
 * A repository that nobody recorded yet has a mark beside it: `<root>/<organization>/<repository>.git.new`. An import is at
 * `<repository>.git.import-<12 hexadecimal digits>` until it is complete.
 */
const mark = '.git.new';
const imported = /\.git\.import-[0-9a-f]{12}$/;

/** Marks a repository as not recorded, before it is made. */
export async function markNew(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(markOf(path), '');
}

export async function unmark(path: string): Promise<void> {
  await rm(markOf(path), { force: true });
}

function markOf(path: string): string {
  return path.replace(/\.git$/, mark);
}

/** Gives a repository the name of an unfinished import at once. The returned function removes its files. */
export async function discard(path: string): Promise<() => Promise<void>> {
  const discarded = `${path}.import-${randomBytes(6).toString('hex')}`;
  if (existsSync(path)) await rename(path, discarded);
  return () => rm(discarded, { recursive: true, force: true });
}

export interface Unrecorded {
  readonly orgId: string;
  readonly repositoryId: string;
}

/** Lists the repositories that were begun before an instant and are still marked. */
export async function listUnrecorded(root: string, before: Date): Promise<Unrecorded[]> {
  const found: Unrecorded[] = [];
  for await (const { orgId, name } of oldEntries(root, (one) => one.endsWith(mark), before))
    found.push({ orgId, repositoryId: name.slice(0, -mark.length) });
  return found;
}

/** Removes what ended processes left of imports, unchanged since an instant. */
export async function removeLeftovers(root: string, before: Date): Promise<void> {
  for await (const { orgId, name } of oldEntries(root, (one) => imported.test(one), before))
    await rm(join(root, orgId, name), { recursive: true, force: true });
}

/** Yields the entries of organizations that are wanted and unchanged since an instant. */
async function* oldEntries(root: string, isWanted: (name: string) => boolean, before: Date) {
  for (const orgId of await namesIn(root))
    for (const name of await namesIn(join(root, orgId))) {
      if (!isWanted(name)) continue;
      const found = await stat(join(root, orgId, name)).catch(() => undefined);
      if (found !== undefined && found.mtimeMs < before.getTime()) yield { orgId, name };
    }
}

async function namesIn(directory: string): Promise<string[]> {
  return readdir(directory).catch(() => []);
}
