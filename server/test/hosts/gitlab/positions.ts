import { Type } from 'typebox';
import type { FakePosition, FakeProject } from './state.ts';

export const PositionBody = Type.Object(
  {
    position_type: Type.Enum(['text']),
    base_sha: Type.String(),
    start_sha: Type.String(),
    head_sha: Type.String(),
    old_path: Type.String(),
    new_path: Type.String(),
    old_line: Type.Optional(Type.Integer({ minimum: 1 })),
    new_line: Type.Optional(Type.Integer({ minimum: 1 })),
  },
  { additionalProperties: false },
);

/** The lines of a hunk: where they begin and how many there are, before and after. */
interface Hunk {
  readonly before: { readonly from: number; readonly count: number };
  readonly after: { readonly from: number; readonly count: number };
}

async function hunks({ repository }: FakeProject, from: string, to: string, path: string): Promise<Hunk[]> {
  const patch = await repository.git('diff', '-U0', '-M', from, to, '--', path);
  return [...patch.matchAll(/^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/gm)].map(([, a, b = '1', c, d = '1']) => ({
    before: { from: Number(a), count: Number(b) },
    after: { from: Number(c), count: Number(d) },
  }));
}

/** True if the position is on a line that the merge request changes. */
export async function isInDiff(project: FakeProject, position: FakePosition): Promise<boolean> {
  const { new_line: newLine, old_line: oldLine } = position;
  const found = await hunks(project, position.base_sha, position.head_sha, position.new_path).catch(() => []);
  const isIn = (line: number | undefined, part: Hunk['before']) =>
    line === undefined || (line >= part.from && line < part.from + part.count);
  return (
    (newLine === undefined) !== (oldLine === undefined) &&
    found.some(({ before, after }) => isIn(newLine, after) && isIn(oldLine, before))
  );
}

/** Moves a position along to another head, unless its line changed. */
export async function follow(project: FakeProject, position: FakePosition, head: string): Promise<void> {
  if (position.head_sha === head || position.new_line === undefined) return;
  const line = position.new_line;
  let shift = 0;
  for (const { before, after } of await hunks(project, position.head_sha, head, position.new_path)) {
    if (line >= before.from && line < before.from + before.count) return;
    if (before.from + (before.count === 0 ? 1 : 0) <= line) shift += after.count - before.count;
  }
  position.new_line = line + shift;
  position.head_sha = head;
}
