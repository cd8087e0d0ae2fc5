import { Type } from 'typebox';
import { interruptible, isBinary, maxFileBytes, resolvePath, shownPath, statusOf, withFiles } from './files.ts';
import { countMatches, matchLines, replaceAll } from './replace.ts';
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
  description: `Replaces a text in a file.

- old_text must match the file exactly, including indentation and line breaks, and only once: include enough surrounding lines to make it unique, or set replace_all to replace every match.
- The line numbers that read shows are not part of the file.
- The rest of the file stays unchanged, including its kind of line breaks.
- Make one call per edit. To create a file, use write.`,
  input: Type.Object({
    path: Type.String({ description: 'The file, relative to the workspace or absolute.' }),
    old_text: Type.String({ minLength: 1, description: 'The text to replace.' }),
    new_text: Type.String({ description: 'The replacement; may be empty.' }),
    replace_all: Type.Optional(Type.Boolean({ description: 'Replace every match instead of exactly one.' })),
  }),
  title: ({ path }) => `Edit ${path}`,
  run: (input, context) => withFiles(context, () => edit(input, context)),
});

async function edit(input: Edit, context: ToolContext): Promise<ToolOutcome> {
  const { sandbox, signal } = context;
  const { path } = input;
  const absolute = resolvePath(sandbox, path);
  const refusal = await context.permitFile(absolute);
  if (refusal !== undefined) return failed(refusal);
  const status = await statusOf(context, absolute);
  if (status === undefined) return failed(`${path} does not exist. Find it with search, or create it with write.`);
  if (status.kind !== 'file') return failed(`${path} is a ${status.kind}, not a file.`);
  const content = await interruptible(signal, sandbox.readFile(absolute, { maxBytes: maxFileBytes }));
  const text = content.toString('utf8');
  // Content that is not UTF-8 would be written back changed.
  if (isBinary(content) || !Buffer.from(text).equals(content)) {
    return failed(`${path} is not UTF-8 text; an edit would damage it. Use the shell.`);
  }
  const edited = await replace(text, input, context.maskLong);
  if ('problem' in edited) return failed(edited.problem);
  await interruptible(signal, sandbox.writeFile(absolute, edited.text, { mode: status.mode }));
  const shown = shownPath(sandbox, absolute);
  const { places, firstLine } = edited;
  const where = places === 1 ? `at line ${firstLine}` : `in ${places} places`;
  return { ok: true, output: `Edited ${shown} ${where}.`, changes: true, files: [shown] };
}

/** Returns the new text, the number of replacements and the first one's line; or the problem. */
async function replace(
  text: string,
  input: Edit,
  mask: ToolContext['maskLong'],
): Promise<{ text: string; places: number; firstLine: number } | { problem: string }> {
  const { path, old_text: old, new_text: next, replace_all: all = false } = input;
  if (old === next) return { problem: 'old_text and new_text are the same, so nothing would change.' };
  for (const [from, to] of lineBreakVariants(text, old, next)) {
    const places = await countMatches(text, from);
    if (places === 0) continue;
    const lines = await matchLines(text, from, shownLines);
    if (places > 1 && !all) {
      return {
        problem: `old_text occurs ${places} times in ${path}, at lines ${lines.join(', ')}${places > shownLines ? ', …' : ''}. Include more surrounding lines, or set replace_all.`,
      };
    }
    if (text.length + places * (to.length - from.length) > maxFileBytes)
      return { problem: `${path} would be larger than ${maxFileBytes >> 20} MiB with new_text in ${places} places.` };
    return { text: await replaceAll(text, from, to), places, firstLine: lines[0] ?? 1 };
  }
  return { problem: `old_text is not in ${path}. ${findClosest(await mask(text), old)}` };
}

/** Returns the texts as given, and with the file's line breaks. */
function lineBreakVariants(text: string, old: string, next: string): [string, string][] {
  const pairs: [string, string][] = [];
  const crlf = (value: string) => value.replaceAll(/\r?\n/g, '\r\n');
  const usesCrlf = text.includes('\r\n');
  // A one-line old text needs no change, but its replacement gets the file's line breaks.
  pairs.push(usesCrlf ? [old, crlf(next)] : [old, next]);
  if (usesCrlf && crlf(old) !== old) pairs.push([crlf(old), crlf(next)]);
  return pairs;
}

/** Number of line numbers in a message. */
const shownLines = 20;
