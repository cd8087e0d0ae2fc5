import type { ProviderMetadata } from 'ai';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { ProviderError } from '../../../lib/errors.ts';
import type { AgentRecord } from '../port.ts';

// What the built-in agent keeps, one record per thing that happened. They are read back by later versions of it, so a
// field that is added has to be optional.

/** Provider metadata that must be sent back with a part: signatures, ids, encrypted reasoning. */
const Extras = Type.Optional(Type.Unsafe<ProviderMetadata>(Type.Record(Type.String(), Type.Unknown())));

const Attachments = Type.Optional(Type.Array(Type.Object({ path: Type.String(), contentType: Type.String() })));

/** A part of what the model said, in the shape in which the SDK takes it back. */
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
  /** The beginning of a turn. `answers` names the call of `ask` whose result the text is. */
  Type.Object({
    type: Type.Literal('turn'),
    turn: Type.Number(),
    text: Type.String(),
    attachments: Attachments,
    answers: Type.Optional(Type.String()),
  }),
  /** A message that came while the turn ran. */
  Type.Object({ type: Type.Literal('user'), text: Type.String(), attachments: Attachments }),
  /** The platform itself speaks. */
  Type.Object({ type: Type.Literal('note'), text: Type.String() }),
  /** A model step. `cut`: why it has no proper end; the output limit, an interrupted turn, or the provider's filter. */
  Type.Object({
    type: Type.Literal('assistant'),
    content: Type.Array(AssistantPart),
    cut: Type.Optional(Type.Union([Type.Literal('interrupted'), Type.Literal('length'), Type.Literal('refused')])),
    /** Tokens of the request and of the answer, as the provider counted them. */
    usage: Type.Optional(Type.Object({ input: Type.Number(), output: Type.Number() })),
  }),
  /** A tool call that is finished. `changes`: it may have changed files. */
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
  /** The person was asked, and the turn ended with it. `isPlan`: for the approval of what stands there as the question. */
  Type.Object({
    type: Type.Literal('asked'),
    callId: Type.String(),
    question: Type.String(),
    isPlan: Type.Optional(Type.Boolean()),
  }),
  /** Outputs of tools before the record with the number `before` were shortened. */
  Type.Object({ type: Type.Literal('shortened'), before: Type.Number() }),
  /** The summary stands for every record before the one with the number `from`. */
  Type.Object({ type: Type.Literal('compacted'), from: Type.Number(), summary: Type.String() }),
]);
export type Entry = Static<typeof Entry>;
export type EntryOf<Kind extends Entry['type']> = Extract<Entry, { type: Kind }>;

/** Throws `ProviderError` when they are not records of this agent. */
export function readRecords(records: readonly AgentRecord[]): Entry[] {
  return records.map((record, index) => {
    if (Value.Check(Entry, record)) return record;
    throw new ProviderError(`Record ${index + 1} of ${records.length} is not one of the built-in agent.`, {
      retryable: false,
    });
  });
}

/** Returns the number of records at the time of the state; 0 without one. Throws `ProviderError` for another runner's state. */
export function readState(state: unknown, recordCount: number): number {
  if (state === undefined) return 0;
  if (!Value.Check(State, state) || state.records > recordCount) {
    throw new ProviderError('The state to resume is not one of the built-in agent, or its records are missing.', {
      retryable: false,
    });
  }
  return state.records;
}

const State = Type.Object({ records: Type.Integer({ minimum: 0 }) });
