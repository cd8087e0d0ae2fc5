import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const imported = /\.git\.import-[0-9a-f]{12}$/;

/** Removes what ended processes left of imports: `<root>/<organization>/<repository>.git.import-<id>`, unchanged since an instant. */
export async function removeLeftovers(root: string, before: Date): Promise<void> {
  for (const organization of await namesIn(root))
    for (const name of await namesIn(join(root, organization))) {
      if (!imported.test(name)) continue;
      const path = join(root, organization, name);
      const found = await stat(path).catch(() => undefined);
      if (found !== undefined && found.mtimeMs < before.getTime()) await rm(path, { recursive: true, force: true });
    }
}

async function namesIn(directory: string): Promise<string[]> {
  return readdir(directory).catch(() => []);
}
