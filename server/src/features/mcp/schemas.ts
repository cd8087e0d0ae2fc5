import { Type, type Static, type TSchema } from 'typebox';
import { NullableTimestamp, OneOf, Text, Timestamp } from '../../http/schema.ts';
import { CreateSession, origins, statusDetails, statuses } from '../sessions/schemas/session-schemas.ts';

/** An instant stays text here: what the tools answer is JSON already. */
const Instant = Type.Unsafe<string>(Timestamp);
const NullableInstant = Type.Unsafe<string | null>(NullableTimestamp);
const open = { additionalProperties: false };

/** What an agent needs to know of a session; the record at its `url` has the rest. */
export const SessionSummary = Type.Object({
  id: Type.String(),
  url: Type.String({ description: 'The whole record, over the HTTP API.' }),
  title: Type.String(),
  status: OneOf(statuses),
  status_detail: OneOf([...statusDetails, '']),
  verification: Type.String({
    description: 'How the work was checked: "" until it was, fixed, not_reproduced, no_check, could_not_run or failed.',
  }),
  repositories: Type.Array(
    Type.Object({ provider: Type.String(), repo: Type.String(), base_ref: Type.String(), branch: Type.String() }),
  ),
  change_requests: Type.Array(
    Type.Object({
      provider: Type.String(),
      repo: Type.String(),
      number: Type.Integer(),
      url: Type.String(),
      state: OneOf(['open', 'merged', 'closed']),
      draft: Type.Boolean(),
    }),
  ),
  agent_id: Type.String(),
  model: Type.String(),
  tags: Type.Array(Type.String()),
  origin: OneOf(origins),
  created_by: Type.Object({ type: Type.String(), id: Type.String() }),
  usage: Type.Object({ input_tokens: Type.Integer(), output_tokens: Type.Integer(), cost_usd: Type.Number() }),
  error: Type.Unsafe<{ code: string; message: string } | null>({
    type: ['object', 'null'],
    properties: { code: { type: 'string' }, message: { type: 'string' } },
    required: ['code', 'message'],
  }),
  created_at: Instant,
  updated_at: Instant,
  ended_at: NullableInstant,
});
export type SessionSummary = Static<typeof SessionSummary>;

const SessionId = Text(64, { minLength: 1, description: 'The id of a session: ses_…' });

const { prompt: _prompt, ...optional } = CreateSession.properties;
const { repositories, agent_id, model, mode, require_plan_approval, deliver, verify_command, tags, title, budget } =
  optional;
const { structured_output_schema, structured_output_required } = optional;
/** An optional field of the API, in words for a model. */
function explained<T extends TSchema>(field: T, description: string) {
  return Type.Optional(Type.Unsafe<Static<T>>({ ...field, description }));
}

export const CreateSessionInput = Type.Object(
  {
    prompt: Text(100_000, { description: 'The task, as you would give it to an engineer.' }),
    repositories: explained(
      repositories,
      'What to work on, as {repo: "owner/name"}; ref names another branch than the default one.',
    ),
    mode: explained(mode, 'build changes code (the default); plan and ask change nothing.'),
    require_plan_approval: explained(
      require_plan_approval,
      'The session first plans, and changes nothing until a person approved its plan, over the HTTP API.',
    ),
    deliver: explained(deliver, 'What becomes of the work; change_request unless told.'),
    verify_command: explained(
      verify_command,
      'The command that fails now and has to pass after the change. Detected when left out.',
    ),
    title,
    tags,
    agent_id: explained(agent_id, "Which agent works; the organization's default when left out."),
    model: explained(model, 'As <provider>/<name>; the default one when left out.'),
    structured_output_schema: explained(
      structured_output_schema,
      'A JSON Schema (2020-12): the session hands in a value that fits it, and get_session shows it.',
    ),
    structured_output_required: explained(
      structured_output_required,
      'The session fails when it hands in no such value. Needs structured_output_schema.',
    ),
    budget: explained(budget, 'When it is reached the session is suspended with all its work.'),
  },
  open,
);

export const GetSessionInput = Type.Object(
  {
    session_id: SessionId,
    wait_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 60,
        description: 'Answer when the session has nothing more to do, after so many seconds at the latest.',
      }),
    ),
  },
  open,
);
export const GetSessionOutput = Type.Object({
  session: SessionSummary,
  reply: Type.String({ description: 'What the agent said last; "" before it said anything.' }),
  structured_output: Type.Unsafe<unknown>({
    description: 'What the agent handed in by the structured_output_schema; null until it did.',
  }),
});

export const SendMessageInput = Type.Object(
  {
    session_id: SessionId,
    content: Text(100_000),
    delivery: Type.Optional(
      OneOf(['steer', 'queue', 'interrupt'], {
        description: 'steer (the default): before its next step; queue: after this turn; interrupt: at once.',
      }),
    ),
  },
  open,
);
export const SendMessageOutput = Type.Object({
  message_id: Type.String(),
  session_id: Type.String(),
  delivery: OneOf(['steer', 'queue', 'interrupt']),
  state: OneOf(['queued', 'delivered', 'withdrawn']),
});

export const CancelSessionInput = Type.Object({ session_id: SessionId }, open);
export const OneSession = Type.Object({ session: SessionSummary });

const filter = (description: string) => Type.Optional(Text(2_000, { description }));
export const ListSessionsInput = Type.Object(
  {
    status: filter(`One of ${statuses.join(', ')}, or several separated by commas.`),
    repo: filter('owner/name, or several separated by commas.'),
    tag: filter('A tag, or several separated by commas.'),
    search: Type.Optional(Text(500, { minLength: 1, description: 'Words of the title or the prompt.' })),
    first: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, description: 'Sessions on a page; 20 unless told.' })),
    after: Type.Optional(Text(1_000, { description: 'The end_cursor of the page before.' })),
  },
  open,
);
export const ListSessionsOutput = Type.Object({
  sessions: Type.Array(SessionSummary),
  end_cursor: Type.String(),
  has_next_page: Type.Boolean(),
  total: Type.Integer(),
});

export const SearchKnowledgeInput = Type.Object(
  {
    query: Text(1_000, { minLength: 1, description: 'What you want to know, in words.' }),
    repo: Type.Optional(Text(200, { minLength: 1, description: 'owner/name: only what applies to it.' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 20, description: '5 unless told.' })),
  },
  open,
);
export const SearchKnowledgeOutput = Type.Object({
  notes: Type.Array(
    Type.Object({
      note_id: Type.String(),
      name: Type.String(),
      trigger: Type.String({ description: 'When the note is of use.' }),
      body: Type.String(),
      scope: Type.String(),
      repo_filter: Type.String(),
      score: Type.Number({ description: 'From 0 to 1.' }),
      reason: Type.String({ description: 'Why it was found, in words.' }),
      created_at: Instant,
      updated_at: Instant,
    }),
  ),
  total: Type.Integer({ description: 'How many notes there are that match.' }),
});
