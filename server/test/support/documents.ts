import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../../..');

/** Returns the pages that people read, by path: without those that are generated. */
export function pages(): Map<string, string> {
  const docs = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md') && name !== 'api-operations.md');
  const paths = ['README.md', 'CONTRIBUTING.md', 'client/README.md', ...docs.map((name) => `docs/${name}`)];
  return new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}

/** A command of a page's shell blocks. */
export interface ShellCommand {
  text: string;
  /** Names of the variables that the shell replaces. */
  used: string[];
  /** The variable that gets the output; `''` for none. */
  sets: string;
}

/** Returns the commands of all shell blocks of a page, in order. */
export function commandsOf(page: string): ShellCommand[] {
  return [...page.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block = '']) => split(block)).map(commandOf);
}

/** Splits at line ends and `;` outside of quotes; a backslash continues a line, and `#` begins a comment. */
function split(block: string): string[] {
  const found: string[] = [];
  let quote = '';
  let text = '';
  const lines = block
    .replaceAll(/<<'(\w+)'(.*?\n)\1\n/gs, '\n')
    .replaceAll('\\\n', ' ')
    .split('\n');
  for (const line of lines) {
    let isComment = false;
    for (const [at, letter] of line.split('').entries()) {
      if (quote === '' && letter === '#' && (at === 0 || line[at - 1] === ' ')) isComment = true;
      if (isComment) continue;
      if (quote === '' && (letter === "'" || letter === '"')) quote = letter;
      else if (letter === quote) quote = '';
      if (quote === '' && letter === ';') {
        found.push(text);
        text = '';
      } else text += letter;
    }
    if (quote === '') {
      found.push(text);
      text = '';
    } else text += '\n';
  }
  return found.map((command) => command.trim()).filter((command) => command !== '');
}

function commandOf(text: string): ShellCommand {
  const used = [
    ...text.replaceAll(/"[^"']*"|'[^']*'/g, (part) => (part.startsWith("'") ? "''" : part)).matchAll(/\$\{?([A-Z_]+)/g),
  ].map(([, name = '']) => name);
  return { text, used, sets: /^([A-Z_]+)=/.exec(text)?.[1] ?? '' };
}
