import { type Static, Type } from 'typebox';
import { schemaProblems, type SchemaProblem } from './schema-problems.ts';

const closed = { additionalProperties: false };

/** A path below the workspace: relative, no `.` or `..`, nothing below `.git`. */
const CheckPath = Type.String({
  maxLength: 500,
  pattern: String.raw`^(?!/)(?!\.git(?:/|$))(?!(?:.*/)?\.{1,2}(?:/|$))[^\u0000-\u001f\\]+$`,
});

/** The agent's check: a command that fails before the work and passes after it, and its new files. */
export const AgentCheck = Type.Object(
  {
    command: Type.String({ minLength: 1, maxLength: 10_000 }),
    files: Type.Optional(
      Type.Array(Type.Object({ path: CheckPath, content: Type.String({ maxLength: 1_000_000 }) }, closed), {
        maxItems: 100,
      }),
    ),
  },
  closed,
);
export type AgentCheck = Static<typeof AgentCheck>;

/** The rule for a path of a check. */
export const pathRule = 'must be a path below the workspace, without ".." and not below ".git"';

/** Returns the problems of a check that an agent declares. */
export function problemsOfCheck(check: unknown): SchemaProblem[] {
  return schemaProblems(AgentCheck, check, pathRule);
}
