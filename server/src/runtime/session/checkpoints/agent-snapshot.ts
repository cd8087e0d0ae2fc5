import { AgentCheck } from '../../../lib/agent-config.ts';
import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';

/** What another worker needs beside the files to go on with an agent: kept with each checkpoint. */
export const AgentMemory = Type.Object({
  turn: Type.Integer(),
  state: Type.Unsafe<Readonly<Record<string, unknown>>>({ type: 'object' }),
  check: Type.Optional(AgentCheck),
});
export type AgentMemory = Static<typeof AgentMemory>;

/** Reads it back; undefined when it is missing or of another version. */
export function parseMemory(bytes: Buffer | undefined): AgentMemory | undefined {
  if (bytes === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return Value.Check(AgentMemory, value) ? value : undefined;
  } catch {
    return undefined;
  }
}
