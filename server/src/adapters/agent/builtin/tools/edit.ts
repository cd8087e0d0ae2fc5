import { Type } from 'typebox';
import { interruptible, isBinary, maxFileBytes, resolvePath, shownPath, statusOf, withFiles } from './files.ts';
import { countOf, linesOf, replaced } from './replace.ts';
import { findClosest } from './closest.ts';
import { defineTool, failed, type ToolContext, type ToolOutcome } from './tool.ts';

interface Edit {
  path: string;
  old_text: string;
  new_text: string;
  replace_all?: boolean;
}

/** Replaces an exact text in a file. */
export const editTool = defineTool({
  name: 'edit',
  kind: 'change',
  description: `Replaces a text in a file by another.

- old_text must be in the file exactly, with its indentation and line breaks, and only once: take enough of the lines around it to make it unique, or set replace_all to replace every place.
- The line numbers that read shows are not part of the file.
- Everything else in the file stays as it is, with its kind of line breaks.
- Several edits of one file are several calls. To make a new file use write.`,
  input: Type.Object({
    path: Type.String({ description: 'The file, relative to the workspace or absolute.' }),
    old_text: Type.String({ minLength: 1, description: 'What is replaced.' }),
    new_text: Type.String({ description: 'What stands there afterwards; may be empty.' }),
    replace_all: Type.Optional(Type.Boolean({ description: 'Replace every place and not just one.' })),
  }),
  title: ({ path }) => `Edit ${path}`,
  run: (input, context) => withFiles(context, () => edit(input, context)),
});

async function edit(input: Edit, context: ToolContext): Promise<ToolOutcome> {
  const { sandbox, signal } = context;
  const { path } = input;
  const absolute = resolvePath(sandbox, path);
  const status = await statusOf(context, absolute);
  if (status === undefined) return failed(`${path} does not exist. Look for it with search, or make it with write.`);
  if (status.kind !== 'file') return failed(`${path} is a ${status.kind}, not a file.`);
  const content = await interruptible(signal, sandbox.readFile(absolute, { maxBytes: maxFileBytes }));
  const text = content.toString('utf8');
  // What is no UTF-8 would be written back as something else.
  if (isBinary(content) || !Buffer.from(text).equals(content)) {
    return failed(`${path} is not a text in UTF-8; edit would damage it. Use the shell.`);
  }
  const edited = await replace(text, input, context.maskLong);
  if ('problem' in edited) return failed(edited.problem);
  await interruptible(signal, sandbox.writeFile(absolute, edited.text, { mode: status.mode }));
  const shown = shownPath(sandbox, absolute);
  const { places, firstLine } = edited;
  const where = places === 1 ? `at line ${firstLine}` : `in ${places} places`;
  return { ok: true, output: `Edited ${shown} ${where}.`, changes: true, files: [shown] };
}

/** The text with the replacement, in how many places it is, and where the first of them is. */
async function replace(
  text: string,
  input: Edit,
  mask: ToolContext['maskLong'],
): Promise<{ text: string; places: number; firstLine: number } | { problem: string }> {
  const { path, old_text: old, new_text: next, replace_all: all = false } = input;
  if (old === next) return { problem: 'old_text and new_text are the same, so nothing would change.' };
  for (const [from, to] of spellings(text, old, next)) {
    const places = await countOf(text, from);
    if (places === 0) continue;
    const lines = linesOf(text, from, shownLines);
    if (places > 1 && !all) {
      return {
        problem: `old_text is in ${path} ${places} times, at the lines ${lines.join(', ')}${places > shownLines ? ', …' : ''}. Take more of the lines around the right one, or set replace_all.`,
      };
    }
    if (text.length + places * (to.length - from.length) > maxFileBytes)
      return { problem: `${path} would be larger than ${maxFileBytes >> 20} MiB with new_text in ${places} places.` };
    return { text: await replaced(text, from, to), places, firstLine: lines[0] ?? 1 };
  }
  return { problem: `old_text is not in ${path}. ${findClosest(await mask(text), old)}` };
}

/** The texts as given, and with the line breaks that the file has. */
function spellings(text: string, old: string, next: string): [string, string][] {
  const pairs: [string, string][] = [];
  const crlf = (value: string) => value.replaceAll(/\r?\n/g, '\r\n');
  const usesCrlf = text.includes('\r\n');
  // A one-line text is found as it is, and its replacement still gets the file's line breaks.
  pairs.push(usesCrlf ? [old, crlf(next)] : [old, next]);
  if (usesCrlf && crlf(old) !== old) pairs.push([crlf(old), crlf(next)]);
  return pairs;
}

/** So many of the lines where a text stands are told. */
const shownLines = 20;
