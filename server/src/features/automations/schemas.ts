import { Type, type Static } from 'typebox';
import {
  AnyObject,
  Body,
  defaults,
  explain,
  Id,
  List,
  ListQuery,
  Name,
  named,
  NullableTimestamp,
  OneOf,
  Principal,
  record,
  Text,
  Timestamp,
  TimestampInput,
} from '../../http/schema.ts';
import { providers, repositoryName } from '../../lib/providers.ts';
import { Budget, deliveries } from '../sessions/schemas/session-schemas.ts';
import { tags } from '../sessions/schemas/tags.ts';
import { operators } from './conditions.ts';

export const triggerTypes = ['schedule', 'once', 'webhook', 'change_request', 'issue', 'push'] as const;
export type TriggerType = (typeof triggerTypes)[number];
const executors = ['platform', 'external'] as const;
const runAs = ['organization', 'creator'] as const;
const concurrencies = ['skip', 'queue', 'replace', 'parallel'] as const;
const missedRuns = ['skip', 'run_once', 'catch_up'] as const;
export const automationStatuses = ['active', 'paused', 'degraded'] as const;
const maxTriggers = 10;
const maxConditions = 20;

const conditionValue = Type.Unsafe<string | number | boolean | null>({
  type: ['string', 'number', 'boolean', 'null'],
  maxLength: 1_000,
});
const conditionFields = { path: Type.String(), operator: OneOf(operators), value: conditionValue };

const Trigger = Type.Object({
  id: Id,
  type: OneOf(triggerTypes),
  cron: Type.String(),
  timezone: Type.String(),
  at: NullableTimestamp,
  url: Type.String(),
  conditions: Type.Array(Type.Object(conditionFields)),
});

const Action = Type.Object({
  prompt_template: Type.String(),
  repositories: Type.Array(
    Type.Object({ provider: OneOf(['', ...providers]), repo: Type.String(), ref: Type.String() }),
  ),
  agent_id: Type.String(),
  tags: Type.Array(Type.String()),
  budget: Budget,
  structured_output_schema: AnyObject,
  deliver: OneOf(['', ...deliveries]),
});

const Retry = Type.Object({ max_attempts: Type.Integer(), backoff_seconds: Type.Integer() });

const automationFields = {
  id: Id,
  name: Type.String(),
  enabled: Type.Boolean(),
  triggers: Type.Array(Trigger),
  action: Action,
  executor: OneOf(executors),
  run_as: OneOf(runAs),
  concurrency: OneOf(concurrencies),
  missed_runs: OneOf(missedRuns),
  retry: Retry,
  timeout_minutes: Type.Integer(),
  pause_after_failures: Type.Integer(),
  status: OneOf(automationStatuses),
  consecutive_failures: Type.Integer(),
  last_run_at: NullableTimestamp,
  next_run_at: NullableTimestamp,
  hook_secret: Type.String(),
  created_by: Principal,
  revision: Type.Integer(),
  created_at: Timestamp,
  updated_at: Timestamp,
};

export const Automation = record('Automation', Type.Object(automationFields), '/revision');
export const AutomationList = List(Automation);
export const AutomationQuery = ListQuery({
  search: Type.Optional(Text(500, { minLength: 1 })),
  status: Type.Optional(Text(200)),
  enabled: Type.Optional(Text(20, { description: '`true` or `false`.' })),
});
export type AutomationQuery = Static<typeof AutomationQuery>;

const ConditionInput = Type.Object(
  { path: Text(500), operator: OneOf(operators), value: Type.Optional(conditionValue) },
  { additionalProperties: false },
);
const TriggerInput = Type.Object(
  {
    id: Type.Optional(Text(64)),
    type: OneOf(triggerTypes),
    cron: Type.Optional(Text(200)),
    timezone: Type.Optional(Text(64)),
    at: Type.Optional(Type.Unsafe<string | null>({ ...TimestampInput, type: ['string', 'null'] })),
    url: Type.Optional(Text(2_000)),
    conditions: Type.Optional(Type.Array(ConditionInput, { maxItems: maxConditions })),
  },
  { additionalProperties: false },
);
export type TriggerInput = Static<typeof TriggerInput>;

const actionFields = {
  repositories: Type.Optional(
    Type.Array(
      Type.Object(
        {
          provider: Type.Optional(OneOf(['', ...providers])),
          repo: Text(200, { pattern: `^${repositoryName}$`, 'x-form': 'owner/name' }),
          ref: Type.Optional(Text(240)),
        },
        { additionalProperties: false },
      ),
      { maxItems: 10 },
    ),
  ),
  agent_id: Type.Optional(Text(64)),
  tags: Type.Optional(tags),
  budget: Type.Optional(Budget),
  structured_output_schema: Type.Optional(AnyObject),
  deliver: Type.Optional(OneOf(['', ...deliveries])),
};
const template = Text(50_000, { minLength: 1, 'x-error-code': 'prompt_required' });

const policyFields = {
  enabled: Type.Optional(Type.Boolean()),
  executor: Type.Optional(OneOf(executors)),
  run_as: Type.Optional(OneOf(runAs)),
  concurrency: Type.Optional(OneOf(concurrencies)),
  missed_runs: Type.Optional(OneOf(missedRuns)),
  retry: Type.Optional(
    Body({
      max_attempts: Type.Optional(Type.Integer({ minimum: 1, maximum: 20 })),
      backoff_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400 })),
    }),
  ),
  timeout_minutes: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_080 })),
  pause_after_failures: Type.Optional(
    Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 0, maximum: 1_000 }),
  ),
};
const name = Name(200);
const triggers = Type.Array(TriggerInput, { maxItems: maxTriggers });

export const CreateAutomation = Body({
  name,
  triggers,
  action: Body({ prompt_template: template, ...actionFields }),
  ...policyFields,
});
export type CreateAutomation = Static<typeof CreateAutomation>;

export const UpdateAutomation = Body({
  name: Type.Optional(name),
  triggers: Type.Optional(triggers),
  action: Type.Optional(Body({ prompt_template: Type.Optional(template), ...actionFields })),
  ...policyFields,
});
export type UpdateAutomation = Static<typeof UpdateAutomation>;

export const TriggerAutomation = Body({ payload: Type.Optional(AnyObject) });
explain('TriggerAutomationRequest', { payload: 'The payload of the run; by default {}.' });

export const RotateAutomationSecret = Body({
  overlap_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 604_800 })),
});
explain('RotateAutomationSecretRequest', {
  overlap_seconds: 'Seconds for which the old secret is valid, too, at most a week.',
});
defaults('RotateAutomationSecretRequest', { overlap_seconds: 86_400 });

export const ValidateAutomation = Body({
  triggers,
  prompt_template: Type.Optional(Text(50_000)),
  sample: Type.Optional(Body({ type: OneOf(triggerTypes), payload: Type.Optional(AnyObject) })),
});
export type ValidateAutomation = Static<typeof ValidateAutomation>;

export const AutomationValidation = named(
  'AutomationValidation',
  Type.Object({
    triggers: Type.Array(
      Type.Object({
        type: OneOf(triggerTypes),
        next_times: Type.Array(Timestamp),
        matches: Type.Unsafe<boolean | null>({ type: ['boolean', 'null'] }),
      }),
    ),
    next_times: Type.Array(Timestamp),
    matches: Type.Unsafe<boolean | null>({ type: ['boolean', 'null'] }),
    prompt: Type.String(),
  }),
);

export type Condition = Static<typeof ConditionInput>;
/** A trigger as the database keeps it. */
export interface StoredTrigger {
  id: string;
  type: TriggerType;
  /** `''` unless the type is `schedule`. */
  cron: string;
  timezone: string;
  /** ISO 8601; `''` unless the type is `once`. */
  at: string;
  conditions: Required<Condition>[];
}
export type StoredAction = Static<typeof Action>;
