/** A folder or a file of a tree; a folder with one folder in it is one entry, `a/b`. */
export interface TreeEntry<T> {
  /** The last parts of its path. */
  name: string;
  path: string;
  /** The file; undefined for a folder. */
  file?: T;
  children: TreeEntry<T>[];
}

/** Returns files as a tree: folders first, then by name. */
export function treeOf<T extends { path: string }>(files: readonly T[]): TreeEntry<T>[] {
  const root: TreeEntry<T> = { name: '', path: '', children: [] };
  const folders = new Map<string, TreeEntry<T>>([['', root]]);
  for (const file of files) {
    const at = file.path.lastIndexOf('/');
    const parent = folderOf(folders, at === -1 ? '' : file.path.slice(0, at));
    parent.children.push({ name: file.path.slice(at + 1), path: file.path, file, children: [] });
  }
  return tidy(root.children);
}

function folderOf<T>(folders: Map<string, TreeEntry<T>>, path: string): TreeEntry<T> {
  const missing: string[] = [];
  let known = path;
  while (!folders.has(known)) {
    missing.push(known);
    known = known.includes('/') ? known.slice(0, known.lastIndexOf('/')) : '';
  }
  let parent = folders.get(known);
  for (const next of missing.toReversed()) {
    const folder: TreeEntry<T> = { name: next.slice(next.lastIndexOf('/') + 1), path: next, children: [] };
    parent?.children.push(folder);
    folders.set(next, folder);
    parent = folder;
  }
  return parent ?? { name: '', path: '', children: [] };
}

function tidy<T>(entries: TreeEntry<T>[]): TreeEntry<T>[] {
  const rank = ({ file }: TreeEntry<T>) => (file === undefined ? 0 : 1);
  return entries
    .map((entry) => joined({ ...entry, children: tidy(entry.children) }))
    .toSorted((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

function joined<T>(entry: TreeEntry<T>): TreeEntry<T> {
  const [only] = entry.children;
  if (entry.file !== undefined || entry.children.length !== 1 || only === undefined || only.file !== undefined)
    return entry;
  return { ...only, name: `${entry.name}/${only.name}` };
}
