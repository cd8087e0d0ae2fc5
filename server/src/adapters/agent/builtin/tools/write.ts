import { Type } from 'typebox';
import { formatNumber } from '../bounds.ts';
import { interruptible, resolvePath, shownPath, statusOf, withFiles } from './files.ts';
import { countLineBreaks } from './lines.ts';
import { defineTool, failed } from './tool.ts';

/** Writes a whole file. */
export const writeTool = defineTool({
  name: 'write',
  kind: 'change',
  description: `Writes a whole file and creates missing directories. Replaces existing content.

- Use it for a new file, or if most of a file changes. To change a part of a file, use edit, which cannot lose the rest.
- Give the complete content; "..." is not expanded.
- An existing file keeps its permissions.`,
  input: Type.Object({
    path: Type.String({ description: 'The file, relative to the workspace or absolute.' }),
    content: Type.String({ description: 'The complete content.' }),
  }),
  title: ({ path }) => `Write ${path}`,
  run: ({ path, content }, context) =>
    withFiles(context, async () => {
      const { sandbox, signal } = context;
      const absolute = resolvePath(sandbox, path);
      const refusal = await context.permitFile(absolute);
      if (refusal !== undefined) return failed(refusal);
      const status = await statusOf(context, absolute);
      if (status !== undefined && status.kind !== 'file') return failed(`${path} is a ${status.kind}, not a file.`);
      const mode = status === undefined ? undefined : { mode: status.mode };
      await interruptible(signal, sandbox.writeFile(absolute, content, mode));
      const lines = content === '' ? 0 : (await countLineBreaks(content)) + (content.endsWith('\n') ? 0 : 1);
      const done = status === undefined ? 'Created' : 'Replaced';
      return {
        ok: true,
        output: `${done} ${shownPath(sandbox, absolute)}: ${formatNumber(lines)} ${lines === 1 ? 'line' : 'lines'}.`,
        changes: true,
        files: [shownPath(sandbox, absolute)],
      };
    }),
});
