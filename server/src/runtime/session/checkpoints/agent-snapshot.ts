import { AgentCheck } from '../../../lib/agent-config.ts';
import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';

/** What another worker needs beside the files to go on with an agent: kept with each checkpoint. */
export const AgentSnapshot = Type.Object({
  turn: Type.Integer(),
  state: Type.Unsafe<Readonly<Record<string, unknown>>>({ type: 'object' }),
  check: Type.Optional(AgentCheck),
});
export type AgentSnapshot = Static<typeof AgentSnapshot>;

/** Reads it back; undefined when it is missing or of another version. */
export function parseAgentSnapshot(bytes: Buffer | undefined): AgentSnapshot | undefined {
  if (bytes === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return Value.Check(AgentSnapshot, value) ? value : undefined;
  } catch {
    return undefined;
  }
}
