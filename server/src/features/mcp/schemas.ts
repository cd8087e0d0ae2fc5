import { Type, type Static, type TSchema } from 'typebox';
import { NullableTimestamp, OneOf, Text, Timestamp } from '../../http/schema.ts';
import { CreateSession, origins, statusDetails, statuses } from '../sessions/schemas/session-schemas.ts';

/** A time stays text here: the results of tools are JSON already. */
const Instant = Type.Unsafe<string>(Timestamp);
const NullableInstant = Type.Unsafe<string | null>(NullableTimestamp);
const open = { additionalProperties: false };

/** The facts about a session that an agent needs; the record at its `url` has the rest. */
export const SessionSummary = Type.Object({
  id: Type.String(),
  url: Type.String({ description: 'URL of the full record in the HTTP API.' }),
  title: Type.String(),
  status: OneOf(statuses),
  status_detail: OneOf([...statusDetails, '']),
  verification: Type.String({
    description: 'Result of the check: fixed, not_reproduced, no_check, could_not_run or failed; "" before it.',
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
  created_by: Type.Object({ type: Type.String(), id: Type.String(), name: Type.String() }),
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
/** An optional field of the API with a description for a model. */
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
      'The session first makes a plan, and changes nothing until a user approves it over the HTTP API.',
    ),
    deliver: explained(deliver, 'The result to deliver; default change_request.'),
    verify_command: explained(
      verify_command,
      'The command that fails now and must pass after the change. Detected if omitted.',
    ),
    title,
    tags,
    agent_id: explained(agent_id, "The agent; default the organization's."),
    model: explained(model, "As <provider>/<name>; default the agent's or the organization's."),
    structured_output_schema: explained(
      structured_output_schema,
      'A JSON Schema (2020-12). The session submits a value that fits it; get_session returns the value.',
    ),
    structured_output_required: explained(
      structured_output_required,
      'True if the session fails without such a value. Requires structured_output_schema.',
    ),
    budget: explained(budget, 'The session is suspended when it reaches this limit; its work is kept.'),
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
        description: 'Seconds to wait at most until the session has nothing more to do.',
      }),
    ),
  },
  open,
);
export const GetSessionOutput = Type.Object({
  session: SessionSummary,
  reply: Type.String({ description: 'The last message of the agent; "" before the first.' }),
  structured_output: Type.Unsafe<unknown>({
    description: 'The value that the agent submitted for structured_output_schema; null before.',
  }),
});

export const SendMessageInput = Type.Object(
  {
    session_id: SessionId,
    content: Text(100_000),
    delivery: Type.Optional(
      OneOf(['steer', 'queue', 'interrupt'], {
        description: 'steer (default): before its next step; queue: after this turn; interrupt: at once.',
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
    search: Type.Optional(Text(500, { minLength: 1, description: 'Text to find in the title or the prompt.' })),
    first: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 50, description: 'Number of sessions on a page; default 20.' }),
    ),
    after: Type.Optional(Text(1_000, { description: 'The end_cursor of the previous page.' })),
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
    query: Text(1_000, { minLength: 1, description: 'Your question, in words.' }),
    repo: Type.Optional(Text(200, { minLength: 1, description: 'owner/name: only notes that apply to it.' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 20, description: 'Default 5.' })),
  },
  open,
);
export const SearchKnowledgeOutput = Type.Object({
  notes: Type.Array(
    Type.Object({
      note_id: Type.String(),
      name: Type.String(),
      trigger: Type.String({ description: 'When the note is useful.' }),
      body: Type.String(),
      scope: Type.String(),
      repo_filter: Type.String(),
      score: Type.Number({ description: 'From 0 to 1.' }),
      reason: Type.String({ description: 'Why it matches, in words.' }),
      created_at: Instant,
      updated_at: Instant,
    }),
  ),
  total: Type.Integer({ description: 'Number of matching notes.' }),
});
