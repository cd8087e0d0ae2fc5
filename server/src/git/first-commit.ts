import type { Person } from './bare.ts';
import { requireBranchName } from './names.ts';
import { git } from './native.ts';

/** The only commit of a new branch. */
export interface FirstCommit {
  /** Contents by path, which has no character that git would quote. */
  readonly files: Readonly<Record<string, string>>;
  readonly message: string;
  readonly author: Person;
  readonly at: Date;
}

/** Creates a branch with one commit in a bare repository. */
export async function commitFirst(path: string, branch: string, commit: FirstCommit): Promise<void> {
  const ref = `refs/heads/${requireBranchName(branch)}`;
  const { name, email } = commit.author;
  // Git ends the name and the e-mail at these characters.
  const [by, address] = [name, email].map((text) => text.replaceAll(/[<>\n\0]/g, ''));
  const who = `${by} <${address}> ${Math.floor(commit.at.getTime() / 1_000)} +0000`;
  const files = Object.entries(commit.files).map(([file, content]) => `M 100644 inline ${file}\n${dataOf(content)}`);
  const head = `commit ${ref}\nauthor ${who}\ncommitter ${who}\n${dataOf(commit.message)}`;
  const input = [head, ...files, 'done\n'].join('');
  await git(['fast-import', '--quiet', '--done', '--date-format=raw'], { gitDir: path, input });
}

function dataOf(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}\n`;
}
