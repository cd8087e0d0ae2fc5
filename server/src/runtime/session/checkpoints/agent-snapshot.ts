import { AgentCheck } from '../../../lib/agent-config.ts';
import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';

/** The agent's state in a checkpoint, from which another worker resumes it. */
export const AgentSnapshot = Type.Object({
  turn: Type.Integer(),
  state: Type.Unsafe<Readonly<Record<string, unknown>>>({ type: 'object' }),
  check: Type.Optional(AgentCheck),
});
export type AgentSnapshot = Static<typeof AgentSnapshot>;

/** Parses a snapshot; undefined if it is missing or has another version. */
export function parseAgentSnapshot(bytes: Buffer | undefined): AgentSnapshot | undefined {
  if (bytes === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return Value.Check(AgentSnapshot, value) ? value : undefined;
  } catch {
    return undefined;
  }
}
