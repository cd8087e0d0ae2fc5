import { posix } from 'node:path';
import { Type } from 'typebox';
import { truncate, formatNumber, oneLine } from '../bounds.ts';
import { resolvePath, shownPath, statusOf, withFiles } from './files.ts';
import { firstLines } from './lines.ts';
import { defineTool, failed, succeeded, type ToolContext, type ToolOutcome } from './tool.ts';

const defaultResults = 200;
const maxResults = 1_000;
const maxLineLength = 300;
const maxCharacters = 30_000;
const timeoutMs = 60_000;

/**
 * Searches the current directory with the sandbox's tools. $1 is the pattern ('' lists files), $2 the glob or '', $3 a single
 * file or '.'. Git follows .gitignore as ripgrep does, but skips a directory that is ignored itself.
 */
const script = `
pattern=$1 glob=$2 place=$3
name=\${glob##*/}
case $glob in */*) tree=$glob ;; *) tree="**/$glob" ;; esac
in_git() { git rev-parse --is-inside-work-tree >/dev/null 2>&1 && ! git check-ignore -q . 2>/dev/null; }
if [ "$place" != . ]; then spec=":(literal)$place"; elif [ -n "$glob" ]; then spec=":(glob)$tree"; else spec=.; fi
run() {
  if [ -n "$pattern" ]; then
    if command -v rg >/dev/null; then rg --engine=auto --hidden --line-number --with-filename --no-heading --color=never --sort=path --max-columns=2000 --max-columns-preview \${glob:+--glob "$glob"} --glob '!.git' -e "$pattern" -- "$place"
    elif in_git; then
      flavor=-P
      git grep -qP -e x -- ':(literal)no such file' 2>/dev/null; [ $? -gt 1 ] && flavor=-E
      git grep --untracked -nI --no-color "$flavor" -e "$pattern" -- "$spec"
    else grep -rnIHP --exclude-dir=.git \${glob:+--include="$name"} -e "$pattern" -- "$place"; fi
  elif command -v rg >/dev/null; then rg --files --hidden --sort=path \${glob:+--glob "$glob"} --glob '!.git' -- "$place"
  elif in_git; then git -c core.quotePath=false ls-files --cached --others --exclude-standard --deduplicate -- "$spec"
  else find "$place" -name .git -prune -o -type f \${glob:+-name "$name"} -print; fi
}
run | head -c 4000000
exit "\${PIPESTATUS[0]}"`;

interface SearchInput {
  pattern: string;
  path?: string;
  glob?: string;
  max_results?: number;
}

/** Searches file contents or lists files. */
export const searchTool = defineTool({
  name: 'search',
  kind: 'read',
  description: `Searches the contents of files for a regular expression, or lists files by name.

- Returns lines as "<path>:<line number>:<text>". Leaves out files in .gitignore.
- pattern is a Perl-like, case-sensitive regular expression; start it with (?i) to ignore case. Escape literal characters like ( [ . *.
- glob limits the search to files by name, e.g. *.ts or src/**/*.test.js.
- An empty pattern lists files, so pattern "" with glob "*.md" finds files by name.
- Prefer this to grep and find in the shell.`,
  input: Type.Object({
    pattern: Type.String({ description: 'A regular expression, or "" to list files.' }),
    path: Type.Optional(Type.String({ description: 'A directory or file. Default: the whole workspace.' })),
    glob: Type.Optional(Type.String({ description: 'Only files that match this glob.' })),
    max_results: Type.Optional(
      Type.Integer({ minimum: 1, maximum: maxResults, description: `Default: ${defaultResults}.` }),
    ),
  }),
  title: ({ pattern, path, glob }) =>
    truncate(
      oneLine(
        `${pattern === '' ? 'List' : `Search ${pattern} in`} ${[path, glob].filter(Boolean).join(' ') || 'all files'}`,
      ),
      100,
    ),
  run: (input, context) => withFiles(context, () => search(input, context)),
});

async function search(input: SearchInput, context: ToolContext): Promise<ToolOutcome> {
  const { sandbox, signal } = context;
  const { pattern, path = '.', glob = '' } = input;
  const absolute = resolvePath(sandbox, path);
  const status = await statusOf(context, absolute);
  if (status === undefined) return failed(`${path} does not exist.`);
  const cwd = status.kind === 'directory' ? absolute : posix.dirname(absolute);
  const place = status.kind === 'directory' ? '.' : posix.basename(absolute);
  const command = ['bash', '-c', script, 'bash', pattern, glob, place];
  const result = await sandbox.exec({ command, cwd, timeoutMs, signal, keepBytes: 4_000_000 });
  if (result.timedOut) return failed(`The search took longer than ${timeoutMs / 1_000} s. Narrow it by path or glob.`);
  const prefix = cwd === sandbox.workspace ? '' : `${shownPath(sandbox, cwd)}/`;
  const found = await formatMatches(String(result.stdout), prefix, input.max_results ?? defaultResults);
  if (found !== '') return succeeded(found);
  const said = oneLine(String(result.stderr));
  // Exit code 1 means no matches.
  if (result.exitCode > 1 && said !== '') return failed(`The search failed: ${truncate(said, 1_000)}`);
  return succeeded(pattern === '' ? 'No such files.' : 'No matches.');
}

/** Formats matches for the model: the first lines, and the number of further ones. */
export async function formatMatches(found: string, prefix: string, limit: number): Promise<string> {
  const { lines, more } = await firstLines(found, limit);
  const shown: string[] = [];
  let length = 0;
  for (const line of lines) {
    const row = truncate(`${prefix}${line.replace(/^\.\//, '')}`, maxLineLength);
    if (length + row.length > maxCharacters) break;
    shown.push(row);
    length += row.length + 1;
  }
  const rest = lines.length - shown.length + more;
  if (rest > 0) shown.push(`[${formatNumber(rest)} more; narrow the search by path, glob or pattern]`);
  return shown.join('\n');
}
