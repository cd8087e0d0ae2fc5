import { Type, type Static, type TObject } from 'typebox';
import type { PrincipalKind } from '../../../caller.ts';
import {
  AnyObject,
  Id,
  List,
  ListQuery,
  named,
  NullableInteger,
  OneOf,
  Text,
  Timestamp,
} from '../../../http/schema.ts';
import { providers } from '../../../lib/providers.ts';
import { CheckSummary, Evidence, FollowSummary } from '../../repositories/change-request-schemas.ts';
import { approvalKinds, approvalStates } from './approval-schemas.ts';
import { messageStates } from './message-schemas.ts';
import {
  ChangeRequestNews,
  phaseNames,
  phaseStatuses,
  sandboxStates,
  statusDetails,
  statuses,
} from './session-schemas.ts';

const said = {
  message_id: Type.String(),
  role: OneOf(['user', 'agent', 'platform'], {
    description: 'The sender; `platform` is Guildhall itself, such as when the work failed its check.',
  }),
  delta: Type.String({ description: 'The text is all deltas in order.' }),
  done: Type.Boolean(),
};
const senderTypes = ['user', 'service_user', 'app', 'session', 'system', 'provider'] as const;
export type SenderType = (typeof senderTypes)[number];
const Sender = Type.Object(
  { type: OneOf(senderTypes), id: Id, name: Type.String() },
  {
    description:
      'The sender of a user message, with the name of that time; only in the `queued` event, and absent in logs of earlier versions.',
  },
);
const CallId = Type.String({ description: 'The tool call that caused it; "" for none.' });
const Notice = Type.Object({ code: Type.String(), message: Type.String() });

/** In their usual order; `mirror` is the copy of a repository on the worker's machine. */
export const provisioningSteps = ['registries', 'mirror', 'setup', 'checkpoint', 'sandbox', 'checkout'] as const;
export type ProvisioningStep = (typeof provisioningSteps)[number];

/** The `data` of each kind of event. */
export const eventData = {
  status: Type.Object({
    status: OneOf(statuses),
    status_detail: OneOf([...statusDetails, '']),
    sandbox_state: OneOf(sandboxStates),
  }),
  provisioning: Type.Object(
    {
      step: OneOf(provisioningSteps),
      subject: Type.String({ description: "Which of several it is about, such as a repository; '' otherwise." }),
      status: OneOf(['running', 'passed', 'failed']),
      summary: Type.String({ description: 'The activity, or the problem.' }),
      duration_ms: NullableInteger,
    },
    { description: 'A step before the agent starts: one event when it begins, one when it ends.' },
  ),
  message: Type.Object({
    ...said,
    state: OneOf(messageStates, {
      description:
        'The first event of a user message is `queued`; a second one, without text, is `delivered` or `withdrawn`.',
    }),
    created_by: Type.Optional(Sender),
    attachment_ids: Type.Optional(Type.Array(Type.String())),
  }),
  thought: Type.Object(said),
  tool_call: Type.Object({ call_id: Type.String(), name: Type.String(), title: Type.String(), input: AnyObject }),
  tool_result: Type.Object({
    call_id: Type.String(),
    ok: Type.Boolean(),
    output: Type.String(),
    artifact_id: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  }),
  plan: Type.Object({
    entries: Type.Array(
      Type.Object({ content: Type.String(), status: OneOf(['pending', 'in_progress', 'completed']) }),
    ),
  }),
  approval: Type.Object({
    approval_id: Type.String(),
    kind: OneOf(approvalKinds),
    state: OneOf(approvalStates),
    summary: Type.String(),
  }),
  command: Type.Object({
    command_id: Type.String(),
    call_id: CallId,
    command: Type.String(),
    phase: OneOf([...phaseNames, '']),
    exit_code: NullableInteger,
    duration_ms: NullableInteger,
    artifact_id: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'When it ends: the artifact with the full output; null if the log has all of it.',
    }),
    created_by: Type.Optional(
      Type.Object(
        { type: OneOf(senderTypes), id: Id, name: Type.String() },
        { description: 'Of a terminal: who opened it. Absent for a command of the agent or the platform.' },
      ),
    ),
  }),
  output: Type.Object({
    command_id: Type.String(),
    call_id: CallId,
    stream: OneOf(['stdout', 'stderr']),
    text: Type.String(),
  }),
  file_change: Type.Object({
    path: Type.String({ description: 'Relative to the workspace.' }),
    change: OneOf(['added', 'modified', 'deleted'], { description: 'Since the previous checkpoint.' }),
    additions: Type.Integer({ description: 'Lines; 0 for a binary file.' }),
    deletions: Type.Integer(),
    call_id: CallId,
  }),
  phase: Type.Object({
    name: OneOf(phaseNames),
    status: OneOf(phaseStatuses),
    summary: Type.String(),
    evidence: Type.Array(Evidence),
  }),
  usage: Type.Object({
    model: Type.String(),
    input_tokens: Type.Integer(),
    output_tokens: Type.Integer(),
    cached_input_tokens: Type.Integer(),
    cost_usd: Type.Number(),
  }),
  budget: Type.Object({
    limit: Type.String(),
    used: Type.Number(),
    allowed: Type.Number(),
    group_id: Type.Optional(Id),
  }),
  warning: Notice,
  checkpoint: Type.Object({ commit: Type.String() }),
  branch_pushed: Type.Object({
    provider: OneOf(providers),
    repo: Type.String(),
    branch: Type.String(),
    commit: Type.String(),
  }),
  change_request: Type.Object({
    ...ChangeRequestNews.properties,
    checks: Type.Optional(CheckSummary),
    follow: Type.Optional(FollowSummary),
  }),
  artifact: Type.Object({
    artifact_id: Type.String(),
    name: Type.String(),
    content_type: Type.String(),
    size_bytes: Type.Integer(),
  }),
  child: Type.Object({ session_id: Type.String(), status: OneOf(statuses) }),
  structured_output: Type.Object({ value: Type.Unsafe<unknown>({}) }),
  error: Notice,
} as const satisfies Record<string, TObject>;

export type EventKind = keyof typeof eventData;
export const eventKinds: readonly string[] = Object.keys(eventData);

/** An event to append; its data must fit its kind. */
export type NewEvent = {
  [Kind in EventKind]: { kind: Kind; data: Static<(typeof eventData)[Kind]>; phase?: (typeof phaseNames)[number] | '' };
}[EventKind];

const envelope = {
  seq: Type.Integer({ minimum: 0 }),
  id: Type.String(),
  session_id: Id,
  phase: OneOf([...phaseNames, '']),
  turn: Type.Integer(),
  attempt_no: Type.Integer(),
  created_at: Timestamp,
  seq_from: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'Only with `compact=true`: the number of the first of the events that it was merged from.',
    }),
  ),
  started_at: Type.Optional({
    ...Timestamp,
    description: 'Only with `compact=true`: the time of the first of the events that it was merged from.',
  }),
};

/** Returns the name of a kind of event in the OpenAPI document: `BranchPushedEvent`. */
export function eventName(kind: string): string {
  return `${kind.replaceAll(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase())}Event`;
}

/** One of the closed shapes by `kind`, each with a name for generated clients. */
const variants = Object.entries(eventData).map(([kind, data]) => {
  const name = eventName(kind);
  const closed = { ...data, additionalProperties: false };
  const shape = Type.Object({ ...envelope, kind: Type.Unsafe<string>({ type: 'string', const: kind }), data: closed });
  return { kind, name, shape: named(name, shape) };
});

export interface SessionEvent {
  seq: number;
  id: string;
  session_id: string;
  kind: string;
  phase: string;
  turn: number;
  attempt_no: number;
  data: unknown;
  created_at: Date;
  seq_from?: number;
  started_at?: Date;
}

export const Event = named(
  'SessionEvent',
  Type.Unsafe<SessionEvent>({
    oneOf: variants.map(({ shape }) => shape),
    discriminator: {
      propertyName: 'kind',
      mapping: Object.fromEntries(variants.map(({ kind, name }) => [kind, `#/components/schemas/${name}`])),
    },
  }),
);

const seq = Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }));
export const afterSeq = { after_seq: seq };
export const EventQuery = ListQuery({
  ...afterSeq,
  before_seq: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Only events before this number: the first page has the last of them, the next page those before.',
    }),
  ),
  kind: Type.Optional(Text(500, { description: 'One or several kinds, separated by commas.' })),
  search: Type.Optional(
    Text(200, {
      minLength: 1,
      description:
        'A text, case-insensitive: in messages, output, tool calls, commands, paths and the like. One that is spread over pieces of a message or an output is found in the piece in which it ends.',
    }),
  ),
  compact: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Merges pieces that follow each other on the page: the deltas of a message or a thought, and the output of a command to one stream. `first` counts events before they are merged.',
    }),
  ),
});
export type EventQuery = Static<typeof EventQuery>;

export const EventList = List(Event, {
  scan: Type.Optional(
    Type.Object(
      {
        complete: Type.Boolean({
          description: 'False if the search took too long and stopped; there may be more after `end_cursor`.',
        }),
        seq: Type.Integer({ minimum: 0, description: 'The last event that was searched.' }),
      },
      { description: 'Only with `search`: how far it came.' },
    ),
  ),
});

/** The first event of a message that a principal sends. */
export function messageSent(
  { id, content, attachment_ids }: { id: string; content: string; attachment_ids: string[] },
  { type, id: by, name }: { type: PrincipalKind | 'provider'; id: string; name: string },
) {
  const sent = { message_id: id, role: 'user', delta: content, done: true, state: 'queued' } as const;
  return { kind: 'message', data: { ...sent, created_by: { type, id: by, name }, attachment_ids } } as const;
}

/** The event of a message that the agent received, or that was withdrawn. */
export function messageNews({ id }: { id: string }, state: 'delivered' | 'withdrawn') {
  return { kind: 'message', data: { message_id: id, role: 'user', delta: '', done: true, state } } as const;
}
