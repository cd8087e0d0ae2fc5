import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { AgentTool } from '../../../adapters/agent/port.ts';
import { memoryOf, memoryRoot, type Memory } from '../../../features/memory/projection.ts';
import { generatedAt, memoryAt } from '../../../features/memory/public.ts';
import type { Attempt } from '../attempt/attempt.ts';

/** What one call shows, in characters: less than what an agent would cut in the middle. */
const pageLength = 24_000;

const Input = Type.Object({
  name: Type.String({ maxLength: 1_000, description: 'What stands in parentheses in the index, e.g. notes/….md.' }),
  offset: Type.Optional(Type.Integer({ minimum: 0, description: 'The character to begin at; 0 unless told.' })),
});

/**
 * Reads a file of the session's memory as it was when the session was given it: from the record and not from the sandbox,
 * where it may not have fit.
 */
export function memoryTool({ ctx, run }: Pick<Attempt, 'ctx' | 'run'>, { notes, generated }: Memory): AgentTool {
  // Without the contents, which may be large.
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
      'Reads a note of the memory of this session, by its name in the index. A long one comes in pieces: go on with offset.',
    input: { ...Input, additionalProperties: false },
    readOnly: true,
    title: (input) => `Remember ${Value.Check(Input, input) ? (input.name.split('/').at(-1) ?? '') : ''}`.trim(),
    async run(input) {
      if (!Value.Check(Input, input)) return failed('read_memory takes {"name": "notes/….md", "offset"?: 0}.');
      const wanted = input.name.replace(`~/${memoryRoot}/`, '');
      const file = files.find(({ path }) => path.endsWith(`/${wanted}`));
      if (file === undefined) return failed(`No note is called ${JSON.stringify(wanted)}: the index has their names.`);
      const found = await file.read();
      const { content } = [...found.notes, ...found.generated].find(({ path }) => path === file.path) ?? {};
      return content === undefined ? failed('It was deleted meanwhile.') : page(content, input.offset ?? 0);
    },
  };
}

function failed(output: string): { ok: boolean; output: string } {
  return { ok: false, output };
}

function page(content: string, offset: number): { ok: boolean; output: string } {
  const end = Math.min(content.length, offset + pageLength);
  const left = content.length - end;
  const rest = left > 0 ? `\n[${left} more characters: offset ${end}]` : '';
  return { ok: true, output: `${content.slice(offset, end).toWellFormed()}${rest}` };
}
