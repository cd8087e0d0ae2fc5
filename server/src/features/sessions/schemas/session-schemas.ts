import { Type, type Static } from 'typebox';
import {
  Body,
  Command,
  Id,
  List,
  Name,
  named,
  NullableTimestamp,
  OneOf,
  Principal,
  Text,
  Timestamp,
  record,
} from '../../../http/schema.ts';
import { providers } from '../../../lib/providers.ts';
import { SessionSecretInput } from '../../secrets/schemas.ts';
import { outputFields } from './output-schemas.ts';
import { checkSummary, Evidence, followSummary, reviewStates } from '../../repositories/change-request-schemas.ts';
import { UsedSandbox } from './sandbox-schema.ts';
import { tags } from './tags.ts';
import type { BranchStart } from './branch-start.ts';

export const statuses = [
  'queued',
  'provisioning',
  'running',
  'waiting',
  'suspended',
  'completed',
  'failed',
  'canceled',
] as const;
export const statusDetails = [
  'working',
  'planning',
  'awaiting_user',
  'awaiting_approval',
  'verifying',
  'delivering',
  'finished',
  'inactivity',
  'user_request',
  'budget_reached',
  'group_limit',
  'capacity',
  'clone_failed',
  'sandbox_lost',
  'model_error',
  'agent_error',
  'verify_failed',
  'guardrail',
  'timeout',
] as const;
export const sandboxStates = ['none', 'starting', 'ready', 'paused', 'missing', 'error'] as const;
export const origins = ['api', 'console', 'cli', 'mcp', 'automation', 'review', 'session'] as const;
export const phaseNames = ['reproduce', 'implement', 'verify', 'deliver'] as const;
export const phaseStatuses = [
  'running',
  'passed',
  'failed',
  'skipped',
  'could_not_run',
  'not_reproduced',
  'stopped',
] as const;
export const verifications = ['fixed', 'not_reproduced', 'no_check', 'could_not_run', 'failed'] as const;
export const deliveries = ['change_request', 'draft', 'branch', 'none'] as const;
export const modes = ['build', 'plan', 'ask'] as const;

export type SessionStatus = (typeof statuses)[number];
export type StatusDetail = (typeof statusDetails)[number] | '';
export type SandboxState = (typeof sandboxStates)[number];
export type PhaseName = (typeof phaseNames)[number];
export type PhaseStatus = (typeof phaseStatuses)[number];
export type Verification = (typeof verifications)[number];
/** The reasons why a session needs someone. */
export const attentions = ['approval', 'answer', 'budget', 'failed'] as const;
export type Attention = (typeof attentions)[number];

export const Phase = named(
  'SessionPhase',
  Type.Object({
    name: OneOf(phaseNames),
    status: OneOf(phaseStatuses),
    started_at: NullableTimestamp,
    ended_at: NullableTimestamp,
    summary: Type.String(),
    evidence: Type.Array(Evidence),
  }),
);
export type Phase = Static<typeof Phase>;

export const SessionRepository = named(
  'SessionRepository',
  Type.Object({
    provider: OneOf(providers),
    repo: Type.String(),
    base_ref: Type.String(),
    base_commit: Type.String(),
    branch: Type.String(),
  }),
);
/**
 * The stored form: it includes the id, so that a rename does not lose the repository, the last pushed commit, which the next
 * one follows, what the next turn begins on, until it pushes, and the number of a change request that it continues. Lists read
 * it for each session that they show, so nothing in it is large.
 */
export type StoredRepository = Static<typeof SessionRepository> & {
  repository_id: string;
  delivered_commit?: string;
  start?: BranchStart;
  change_request?: number;
};

const NullableNumberField = Type.Unsafe<number | null>({ type: ['number', 'null'] });
export const Budget = Type.Object(
  {
    max_cost_usd: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000 })),
    max_tokens: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000_000 })),
    max_minutes: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 100_000 })),
    max_turns: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })),
  },
  { additionalProperties: false },
);
export type Budget = Static<typeof Budget>;

const metadata = Type.Unsafe<Record<string, string | number | boolean | null>>({
  type: 'object',
  maxProperties: 20,
  propertyNames: { type: 'string', minLength: 1, maxLength: 100 },
  additionalProperties: { type: ['string', 'number', 'boolean', 'null'], maxLength: 2_000 },
});

/** The state of a change request, as its session shows it. */
const ChangeRequestState = Type.Object({
  provider: OneOf(providers),
  repo: Type.String(),
  number: Type.Integer(),
  url: Type.String(),
  state: OneOf(['open', 'merged', 'closed']),
  draft: Type.Boolean(),
});

/** A change request in a session's log; followed ones have the optional fields. Parses stored events, so it has no references. */
export const ChangeRequestNews = Type.Object({
  ...ChangeRequestState.properties,
  checks: Type.Optional(checkSummary),
  review_state: Type.Optional(OneOf(reviewStates)),
  mergeable: Type.Optional(Type.Boolean()),
  follow: Type.Optional(followSummary),
});

export const Session = record(
  'Session',
  Type.Object({
    id: Id,
    url: Type.String(),
    title: Type.String(),
    prompt: Type.String(),
    status: OneOf(statuses),
    status_detail: OneOf([...statusDetails, '']),
    sandbox_state: OneOf(sandboxStates),
    attention: OneOf(['', ...attentions]),
    activity: Type.Object({ text: Type.String(), at: Timestamp }),
    unread: Type.Boolean(),
    phases: Type.Array(Phase),
    agent_id: Id,
    model: Type.String(),
    mode: OneOf(modes),
    repositories: Type.Array(SessionRepository),
    change_requests: Type.Array(Type.Object({ ...ChangeRequestState.properties, repository_id: Id })),
    tags: Type.Array(Type.String()),
    metadata: metadata,
    origin: OneOf(origins),
    created_by: Principal,
    automation_id: Type.String(),
    automation_run_id: Type.String(),
    parent_session_id: Type.String(),
    forked_from: Type.String(),
    structured_output: Type.Unsafe<unknown>({
      description:
        'The value that the agent submitted for `structured_output_schema`; null before. A later turn can replace it.',
    }),
    budget: Budget,
    usage: Type.Object({
      input_tokens: Type.Integer(),
      output_tokens: Type.Integer(),
      cached_input_tokens: Type.Integer(),
      cost_usd: Type.Number(),
      sandbox_seconds: Type.Number(),
    }),
    attempt_no: Type.Integer(),
    error: Type.Unsafe<{ code: string; message: string } | null>({
      type: ['object', 'null'],
      properties: { code: { type: 'string' }, message: { type: 'string' } },
    }),
    verify_command: Type.String(),
    verification: OneOf(['', ...verifications]),
    deliver: OneOf(deliveries),
    memory_enabled: Type.Boolean(),
    sandbox: UsedSandbox,
    last_seq: Type.Integer(),
    archived: Type.Boolean(),
    created_at: Timestamp,
    updated_at: Timestamp,
    started_at: NullableTimestamp,
    working_since: NullableTimestamp,
    ended_at: NullableTimestamp,
  }),
);
export const SessionList = List(Session);

const chosen = Type.Optional(
  Type.Unsafe<string[] | null>({ type: ['array', 'null'], items: { type: 'string', maxLength: 64 }, maxItems: 200 }),
);

const RepositoryInput = Type.Object(
  {
    provider: Type.Optional(OneOf(providers)),
    repo: Text(200, { minLength: 1 }),
    ref: Type.Optional(Text(240, { minLength: 1 })),
    change_request: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647 })),
  },
  { additionalProperties: false },
);

export const CreateSession = Body({
  prompt: Text(100_000, { minLength: 1, 'x-error-code': 'prompt_required' }),
  repositories: Type.Optional(Type.Array(RepositoryInput, { maxItems: 10 })),
  agent_id: Type.Optional(Text(64)),
  model: Type.Optional(
    Text(200, {
      description:
        '`<provider>/<model>`; a name alone refers to the first provider. "" is the model of the agent, or else the default.',
    }),
  ),
  mode: Type.Optional(
    OneOf(modes, {
      description:
        '`build` changes the code, `plan` ends with a plan, `ask` answers a question; the latter two have no tools that change anything.',
    }),
  ),
  require_plan_approval: Type.Optional(
    Type.Boolean({
      description:
        'The session first plans, without any tool that changes something, and waits until its plan is approved (`/approvals`); then it carries it out, in the mode `plan` too. Of an agent of the runtime `script` the steps are the plan. Later turns need no approval. 400 in the mode `ask`.',
    }),
  ),
  verify_command: Type.Optional(Command(10_000)),
  deliver: Type.Optional(OneOf(deliveries)),
  tags: Type.Optional(tags),
  metadata: Type.Optional(metadata),
  knowledge_ids: chosen,
  secret_ids: chosen,
  skill_ids: chosen,
  mcp_server_ids: chosen,
  session_secrets: Type.Optional(Type.Array(SessionSecretInput, { maxItems: 100 })),
  attachment_ids: Type.Optional(Type.Array(Id, { maxItems: 100 })),
  ...outputFields,
  budget: Type.Optional(Budget),
  memory_enabled: Type.Optional(Type.Boolean()),
  title: Type.Optional(Name(500)),
});
export type CreateSession = Static<typeof CreateSession>;

export const UpdateSession = Body({
  title: Type.Optional(Name(500)),
  tags: Type.Optional(tags),
  metadata: Type.Optional(metadata),
  budget: Type.Optional(Budget),
});
export type UpdateSession = Static<typeof UpdateSession>;

const modelUsage = {
  input_tokens: Type.Integer(),
  output_tokens: Type.Integer(),
  cached_input_tokens: Type.Integer(),
  cost_usd: Type.Number(),
};
export const Usage = named(
  'SessionUsage',
  Type.Object({
    ...modelUsage,
    sandbox_seconds: Type.Number(),
    by_model: Type.Array(Type.Object({ model: Type.String(), ...modelUsage })),
  }),
);

export const Queue = named(
  'SessionQueue',
  Type.Object({
    size: Type.Integer(),
    oldest_age_seconds: NullableNumberField,
    workers: Type.Integer(),
    free_slots: Type.Integer(),
  }),
);
