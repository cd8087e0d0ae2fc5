import { Type } from 'typebox';
import { truncate, formatNumber } from '../bounds.ts';
import { interruptible, isBinary, maxFileBytes, resolvePath, shownPath, statusOf, withFiles } from './files.ts';
import { findLine } from './lines.ts';
import { defineTool, failed, succeeded, type ToolContext, type ToolOutcome } from './tool.ts';

const maxLines = 2_000;
const maxCharacters = 60_000;
const maxLineLength = 2_000;
const maxNames = 1_000;

/** Reads a text file or lists a directory. */
export const readTool = defineTool({
  name: 'read',
  kind: 'read',
  description: `Reads a text file, or lists a directory.

- Each line has its number, as "<number>\\t<text>"; the number and the tab are not part of the file.
- At most ${formatNumber(maxLines)} lines and ${maxCharacters / 1_000} KB per call. To read on, call again with offset, the number of the first line.
- Lines longer than ${formatNumber(maxLineLength)} characters are cut.
- Read a file before you edit it, and enough of it to be sure. Prefer search to find a place in a large file.
- Returns only the size of a binary file.`,
  input: Type.Object({
    path: Type.String({ description: 'A file or directory, relative to the workspace or absolute.' }),
    offset: Type.Optional(Type.Integer({ minimum: 1, description: 'The number of the first line. Default: 1.' })),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, description: `The number of lines. Default and maximum: ${formatNumber(maxLines)}.` }),
    ),
  }),
  title: ({ path, offset }) => (offset === undefined ? `Read ${path}` : `Read ${path} from line ${offset}`),
  run: (input, context) => withFiles(context, () => read(input, context)),
});

async function read(
  { path, offset = 1, limit = maxLines }: { path: string; offset?: number; limit?: number },
  context: ToolContext,
): Promise<ToolOutcome> {
  const { sandbox, signal } = context;
  const absolute = resolvePath(sandbox, path);
  const status = await statusOf(context, absolute);
  if (status === undefined) return failed(`${path} does not exist.${await similarNames(context, absolute)}`);
  if (status.kind === 'directory') return list(context, absolute);
  if (status.kind === 'other') return failed(`${path} is neither a file nor a directory.`);
  if (status.sizeBytes > maxFileBytes) {
    return failed(
      `${path} is too large to read (${formatNumber(status.sizeBytes)} bytes). Use the shell: sed -n, head, tail or grep.`,
    );
  }
  const content = await interruptible(signal, sandbox.readFile(absolute, { maxBytes: maxFileBytes }));
  if (isBinary(content)) return succeeded(`${path} is a binary file of ${formatNumber(content.length)} bytes.`);
  if (content.length === 0) return succeeded(`${path} is empty.`);
  return numberLines(path, await context.maskLong(content.toString('utf8')), offset, Math.min(limit, maxLines));
}

/** Formats lines of a text with their numbers for the model. */
export async function numberLines(path: string, text: string, offset: number, limit: number): Promise<ToolOutcome> {
  const { at: first, lines } = await findLine(text, offset);
  if (offset > lines) return failed(`${path} has only ${formatNumber(lines)} lines, so there is no line ${offset}.`);
  const shown: string[] = [];
  let length = 0;
  for (let at = first; at < text.length && shown.length < limit;) {
    const found = text.indexOf('\n', at);
    const end = found < 0 ? text.length : found;
    const row = `${offset + shown.length}\t${cutLine(text.slice(at, end))}`;
    if (length + row.length > maxCharacters && shown.length > 0) break;
    shown.push(row);
    length += row.length + 1;
    at = end + 1;
  }
  const next = offset + shown.length;
  const rest = lines - next + 1;
  if (rest > 0) shown.push(`[${formatNumber(rest)} more lines; read on with offset ${next}]`);
  return succeeded(shown.join('\n'));
}

function cutLine(line: string): string {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  if (text.length <= maxLineLength) return text;
  return `${truncate(text, maxLineLength)} [${formatNumber(text.length - maxLineLength)} more characters]`;
}

async function list({ sandbox, signal }: ToolContext, path: string): Promise<ToolOutcome> {
  const command = ['find', path, '-mindepth', '1', '-maxdepth', '1', '-printf', '%f%y\\0'];
  const { stdout } = await sandbox.exec({ command, timeoutMs: 30_000, signal, keepBytes: 512 * 1024 });
  const names = String(stdout)
    .split('\0')
    .filter((name) => name !== '')
    .map((name) => (name.endsWith('d') ? `${name.slice(0, -1)}/` : name.slice(0, -1)))
    .sort();
  const title = `${shownPath(sandbox, path)} is a directory`;
  if (names.length === 0) return succeeded(`${title} and empty.`);
  const shown = names.slice(0, maxNames).map((name) => (/[\n\r]/.test(name) ? JSON.stringify(name) : name));
  if (names.length > maxNames) shown.push(`[${formatNumber(names.length - maxNames)} more]`);
  return succeeded(`${title}:\n${shown.join('\n')}`);
}

/** Suggests similar names in a missing file's directory: models misremember names more often than places. */
async function similarNames({ sandbox, signal }: ToolContext, path: string): Promise<string> {
  const directory = path.slice(0, path.lastIndexOf('/')) || '/';
  const command = ['ls', '-A', '--', directory];
  const { exitCode, stdout } = await sandbox.exec({ command, timeoutMs: 30_000, signal });
  if (exitCode !== 0) return ` Its directory ${shownPath(sandbox, directory)} does not exist either.`;
  const wanted = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const stem = wanted.replace(/\.[^.]*$/, '');
  const similar = String(stdout)
    .split('\n')
    .filter((name) => name !== '' && (name.toLowerCase().includes(stem) || stem.includes(name.toLowerCase())));
  return similar.length === 0 ? '' : ` Similar names in this directory: ${similar.slice(0, 5).join(', ')}.`;
}
