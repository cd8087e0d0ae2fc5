import type { ProviderMetadata } from 'ai';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { ProviderError } from '../../../lib/errors.ts';
import type { AgentRecord } from '../port.ts';

// The built-in agent's records, one per step, message or result. Later versions read them too, so a new field must be
// optional.

/** Provider metadata that must be sent back with a part: signatures, ids, encrypted reasoning. */
const Extras = Type.Optional(Type.Unsafe<ProviderMetadata>(Type.Record(Type.String(), Type.Unknown())));

const Attachments = Type.Optional(Type.Array(Type.Object({ path: Type.String(), contentType: Type.String() })));

/** A part of the model's answer, in the shape that the SDK accepts back. */
const AssistantPart = Type.Union([
  Type.Object({ type: Type.Literal('text'), text: Type.String(), providerOptions: Extras }),
  Type.Object({ type: Type.Literal('reasoning'), text: Type.String(), providerOptions: Extras }),
  Type.Object({
    type: Type.Literal('tool-call'),
    toolCallId: Type.String(),
    toolName: Type.String(),
    input: Type.Unknown(),
    providerOptions: Extras,
  }),
]);
export type AssistantPart = Static<typeof AssistantPart>;
export type ToolCall = Extract<AssistantPart, { type: 'tool-call' }>;

const Entry = Type.Union([
  /** The start of a turn. `answers` is the call of `ask` that the text answers. */
  Type.Object({
    type: Type.Literal('turn'),
    turn: Type.Number(),
    text: Type.String(),
    attachments: Attachments,
    answers: Type.Optional(Type.String()),
  }),
  /** A user's message during the turn. */
  Type.Object({ type: Type.Literal('user'), text: Type.String(), attachments: Attachments }),
  /** A message of the platform. */
  Type.Object({ type: Type.Literal('note'), text: Type.String() }),
  /** A model step. `cut`: the reason why it is incomplete: the output limit, an interrupted turn, or the provider's filter. */
  Type.Object({
    type: Type.Literal('assistant'),
    content: Type.Array(AssistantPart),
    cut: Type.Optional(Type.Union([Type.Literal('interrupted'), Type.Literal('length'), Type.Literal('refused')])),
    /** Tokens of the request and of the answer, counted by the provider. */
    usage: Type.Optional(Type.Object({ input: Type.Number(), output: Type.Number() })),
  }),
  /** A finished tool call. `changes`: it may have changed files. */
  Type.Object({
    type: Type.Literal('tool'),
    callId: Type.String(),
    name: Type.String(),
    ok: Type.Boolean(),
    output: Type.String(),
    changes: Type.Optional(Type.Boolean()),
    /** Base64. */
    images: Type.Optional(Type.Array(Type.Object({ mediaType: Type.String(), data: Type.String() }))),
  }),
  /** A question to the user that ended the turn. `isPlan`: the question is a plan to approve. */
  Type.Object({
    type: Type.Literal('asked'),
    callId: Type.String(),
    question: Type.String(),
    isPlan: Type.Optional(Type.Boolean()),
  }),
  /** Tool outputs before record number `before` were shortened. */
  Type.Object({ type: Type.Literal('shortened'), before: Type.Number() }),
  /** A summary that replaces all records before number `from`. */
  Type.Object({ type: Type.Literal('compacted'), from: Type.Number(), summary: Type.String() }),
]);
export type Entry = Static<typeof Entry>;
export type EntryOf<Kind extends Entry['type']> = Extract<Entry, { type: Kind }>;

/** Parses records. Throws `ProviderError` for records of another agent. */
export function readRecords(records: readonly AgentRecord[]): Entry[] {
  return records.map((record, index) => {
    if (Value.Check(Entry, record)) return record;
    throw new ProviderError(`Record ${index + 1} of ${records.length} is not a record of the built-in agent.`, {
      retryable: false,
    });
  });
}

/** Returns the number of records at the time of the state; 0 without one. Throws `ProviderError` for another runner's state. */
export function readState(state: unknown, recordCount: number): number {
  if (state === undefined) return 0;
  if (!Value.Check(State, state) || state.records > recordCount) {
    throw new ProviderError('The state to resume is not a state of the built-in agent, or its records are missing.', {
      retryable: false,
    });
  }
  return state.records;
}

const State = Type.Object({ records: Type.Integer({ minimum: 0 }) });
