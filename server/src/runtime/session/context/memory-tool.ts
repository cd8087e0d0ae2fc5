import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { AgentTool } from '../../../adapters/agent/port.ts';
import { memoryOf, memoryRoot, type Memory } from '../../../features/memory/projection.ts';
import { generatedAt, memoryAt } from '../../../features/memory/public.ts';
import type { Attempt } from '../attempt/attempt.ts';
import { paged } from './paged.ts';

const Input = Type.Object({
  name: Type.String({ maxLength: 1_000, description: 'The name in parentheses in the index, e.g. notes/….md.' }),
  offset: Type.Optional(Type.Integer({ minimum: 0, description: 'Offset of the first character. Default: 0.' })),
});

/**
 * Tool that reads a file of the session's memory, in the revision the session got: from the database, because the sandbox may
 * lack space for it.
 */
export function memoryTool({ ctx, run }: Pick<Attempt, 'ctx' | 'run'>, { notes, generated }: Memory): AgentTool {
  // Contents are read on demand: they may be large.
  const files: { path: string; read: () => Promise<Memory> }[] = [
    ...notes.map(({ path, memory_id, revision }) => ({
      path,
      read: async () => memoryOf(await memoryAt(ctx, run.orgId, [{ memory_id, revision }]), []),
    })),
    ...generated.map(({ path, provider, repo, sha256 }) => ({
      path,
      read: async () => memoryOf([], await generatedAt(ctx, run.orgId, [{ provider, repo }], [sha256])),
    })),
  ];
  return {
    name: 'read_memory',
    description:
      "Reads a note of this session's memory, by its name in the index. Use offset to read on in a long note.",
    input: { ...Input, additionalProperties: false },
    readOnly: true,
    title: (input) => `Remember ${Value.Check(Input, input) ? (input.name.split('/').at(-1) ?? '') : ''}`.trim(),
    async run(input) {
      if (!Value.Check(Input, input)) return failed('read_memory expects {"name": "notes/….md", "offset"?: 0}.');
      const wanted = input.name.replace(`~/${memoryRoot}/`, '');
      const file = files.find(({ path }) => path.endsWith(`/${wanted}`));
      if (file === undefined) return failed(`There is no note ${JSON.stringify(wanted)}. Use a name from the index.`);
      const found = await file.read();
      const { content } = [...found.notes, ...found.generated].find(({ path }) => path === file.path) ?? {};
      return content === undefined ? failed('The note was deleted.') : paged(content, input.offset ?? 0);
    },
  };
}

function failed(output: string): { ok: boolean; output: string } {
  return { ok: false, output };
}
