import { Type } from 'typebox';
import { beginningOf, count } from '../bounds.ts';
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

- Lines come with their numbers, as "<number>\\t<text>"; the number and the tab are not part of the file.
- At most ${count(maxLines)} lines and ${maxCharacters / 1_000} KB at once. For more, call again with offset, the number of the first line wanted.
- Lines longer than ${count(maxLineLength)} characters are cut.
- Read a file before you edit it, and read enough of it to be sure. Prefer search to find a place in a large file.
- For a binary file only its size is told.`,
  input: Type.Object({
    path: Type.String({ description: 'A file or directory, relative to the workspace or absolute.' }),
    offset: Type.Optional(Type.Integer({ minimum: 1, description: 'The number of the first line; 1 by default.' })),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, description: `How many lines; at most, and by default, ${count(maxLines)}.` }),
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
  if (status === undefined) return failed(`${path} does not exist.${await neighbours(context, absolute)}`);
  if (status.kind === 'directory') return list(context, absolute);
  if (status.kind === 'other') return failed(`${path} is neither a file nor a directory.`);
  if (status.sizeBytes > maxFileBytes) {
    return failed(
      `${path} has ${count(status.sizeBytes)} bytes, too many to read here. Use the shell: sed -n, head, tail or grep.`,
    );
  }
  const content = await interruptible(signal, sandbox.readFile(absolute, { maxBytes: maxFileBytes }));
  if (isBinary(content)) return succeeded(`${path} is a binary file of ${count(content.length)} bytes.`);
  if (content.length === 0) return succeeded(`${path} is empty.`);
  return numbered(path, await context.maskLong(content.toString('utf8')), offset, Math.min(limit, maxLines));
}

/** Lines of a text with their numbers, for the model. */
export async function numbered(path: string, text: string, offset: number, limit: number): Promise<ToolOutcome> {
  const { at: first, lines } = await findLine(text, offset);
  if (offset > lines) return failed(`${path} has ${count(lines)} lines; line ${offset} is behind its end.`);
  const shown: string[] = [];
  let length = 0;
  for (let at = first; at < text.length && shown.length < limit;) {
    const found = text.indexOf('\n', at);
    const end = found < 0 ? text.length : found;
    const row = `${offset + shown.length}\t${shortened(text.slice(at, end))}`;
    if (length + row.length > maxCharacters && shown.length > 0) break;
    shown.push(row);
    length += row.length + 1;
    at = end + 1;
  }
  const next = offset + shown.length;
  const rest = lines - next + 1;
  if (rest > 0) shown.push(`[${count(rest)} more lines; go on with offset ${next}]`);
  return succeeded(shown.join('\n'));
}

function shortened(line: string): string {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  if (text.length <= maxLineLength) return text;
  return `${beginningOf(text, maxLineLength)} [${count(text.length - maxLineLength)} more characters]`;
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
  if (names.length > maxNames) shown.push(`[${count(names.length - maxNames)} more]`);
  return succeeded(`${title}:\n${shown.join('\n')}`);
}

/** Lists the directory of a missing file: models misremember names more often than places. */
async function neighbours({ sandbox, signal }: ToolContext, path: string): Promise<string> {
  const directory = path.slice(0, path.lastIndexOf('/')) || '/';
  const command = ['ls', '-A', '--', directory];
  const { exitCode, stdout } = await sandbox.exec({ command, timeoutMs: 30_000, signal });
  if (exitCode !== 0) return ` Its directory ${shownPath(sandbox, directory)} does not exist either.`;
  const wanted = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const stem = wanted.replace(/\.[^.]*$/, '');
  const similar = String(stdout)
    .split('\n')
    .filter((name) => name !== '' && (name.toLowerCase().includes(stem) || stem.includes(name.toLowerCase())));
  return similar.length === 0 ? '' : ` In that directory there is: ${similar.slice(0, 5).join(', ')}.`;
}
