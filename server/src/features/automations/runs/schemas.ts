import { Type, type Static } from 'typebox';
import {
  Body,
  defaults,
  explain,
  Id,
  List,
  ListQuery,
  named,
  NullableInteger,
  NullableTimestamp,
  OneOf,
  Text,
  Timestamp,
} from '../../../http/schema.ts';
import { triggerTypes } from '../schemas.ts';
import { outcomes, runStatuses } from './transitions.ts';

/** The kinds of what starts runs. */
export const runTriggers = [...triggerTypes, 'followup', 'manual'] as const;

const nullableId = Type.Unsafe<string | null>({ type: ['string', 'null'] });

const runFields = {
  id: Id,
  automation_id: Id,
  status: OneOf(runStatuses),
  attempt_no: Type.Integer(),
  fencing_token: Type.Integer(),
  trigger: Type.String(),
  session_id: nullableId,
  scheduled_at: NullableTimestamp,
  started_at: NullableTimestamp,
  ended_at: NullableTimestamp,
  next_attempt_at: NullableTimestamp,
  summary: Type.String(),
  error_class: Type.String(),
  error_message: Type.String(),
  latency_ms: NullableInteger,
  skip_reason: Type.String(),
  created_at: Timestamp,
};

export const AutomationRun = named('AutomationRun', Type.Object(runFields));
export type AutomationRun = Static<typeof AutomationRun>;
export const AutomationRunList = List(AutomationRun);

const runMeanings = {
  id: 'The run: `run_…`.',
  automation_id: 'The automation.',
  status:
    '`scheduled` is a follow-up that waits for its time, `pending` waits to start, `retrying` for its next attempt. `succeeded`, `failed`, `timed_out` and `canceled` are ends, and so is `skipped`: it never started.',
  attempt_no: 'The number of the attempt, from 1.',
  fencing_token: 'The newest fencing token, which each start increases; 0 before the first.',
  trigger:
    'What started it: `schedule`, `once`, `webhook`, `change_request`, `issue`, `push`, `followup` (scheduled by a session), or `manual`.',
  session_id: 'The session of the newest attempt; null without one.',
  scheduled_at: 'The time of the schedule or follow-up that it is for; null for other triggers.',
  started_at: 'Time of the start of its first attempt; null before.',
  ended_at: 'Time of its end; null before.',
  next_attempt_at: 'Time of the next attempt; null unless it is `retrying`.',
  summary: 'The result, as its executor reported it.',
  error_class: 'The kind of the last failure, for programs; "" without one.',
  error_message: 'The last failure in words; "" without one.',
  latency_ms: 'Milliseconds that the last attempt took; null before its end.',
  skip_reason: 'Why it was skipped; "" if it was not.',
};
explain('AutomationRun', runMeanings);

export const AutomationRunQuery = ListQuery({
  status: Type.Optional(Text(200)),
  trigger: Type.Optional(Text(200, { description: `${runTriggers.join(', ')}, or several separated by commas.` })),
});
export type AutomationRunQuery = Static<typeof AutomationRunQuery>;

const longestWaitSeconds = 30;
export const ClaimRun = Body({
  automation_ids: Type.Optional(Type.Array(Text(64, { minLength: 1 }), { maxItems: 100 })),
  wait_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: longestWaitSeconds })),
});
export type ClaimRun = Static<typeof ClaimRun>;
explain('ClaimAutomationRunRequest', {
  automation_ids: 'Only runs of these automations; empty for any.',
  wait_seconds: 'Waits up to this long for a run.',
});
defaults('ClaimAutomationRunRequest', { automation_ids: [], wait_seconds: 0 });

export const ClaimedRun = named(
  'ClaimedRun',
  Type.Object({
    run: Type.Object({
      ...runFields,
      prompt: Type.String(),
      lease_expires_at: Timestamp,
      callback_url: Type.String(),
      callback_token: Type.String(),
    }),
  }),
);
explain('ClaimedRun', {
  run: 'The run, which now belongs to the claimer.',
  ...Object.fromEntries(Object.entries(runMeanings).map(([field, meaning]) => [`run.${field}`, meaning])),
  'run.prompt': 'The task.',
  'run.lease_expires_at':
    'Report before this time, or the attempt ends as `timed_out`. Each heartbeat renews the lease.',
  'run.callback_url': 'Send reports here.',
  'run.callback_token': 'The bearer token for reports of this attempt; shown only here.',
});

export const ExternalExecutor = named(
  'ExternalExecutor',
  Type.Object({ automation_id: Id, url: Type.String(), secret: Type.String(), updated_at: NullableTimestamp }),
);
export type ExternalExecutor = Static<typeof ExternalExecutor>;
explain('ExternalExecutor', {
  automation_id: 'The automation.',
  url: 'The address that runs are sent to; "" if executors claim them.',
  secret: 'The secret of the signatures (`whsec_…`); shown only when it is issued, else "".',
  updated_at: 'Time of the last change; null if it was never set.',
});

export const SetExecutor = Body({ url: Text(2_000) });
export type SetExecutor = Static<typeof SetExecutor>;
explain('SetExternalExecutorRequest', {
  url: 'An https address, or an http address that is not public; "" removes it.',
});

const reportStatuses = ['running', ...outcomes] as const;
const longestText = 10_000;
/** Of an unversioned operation: it ignores unknown fields. */
export const ReportRun = Type.Object({
  fencing_token: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  attempt_no: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  status: OneOf(reportStatuses),
  summary: Type.Optional(Text(longestText)),
  error_class: Type.Optional(Text(200)),
  error_message: Type.Optional(Text(longestText)),
  latency_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_147_483_647 })),
});
export type ReportRun = Static<typeof ReportRun>;
explain('ReportAutomationRunRequest', {
  fencing_token: 'The fencing token of the attempt, from its claim.',
  attempt_no: 'The number of the attempt, from its claim.',
  status: '`running` is a heartbeat that renews the lease; all others end the attempt.',
  summary: 'The result, or the progress, in words.',
  error_class: 'The kind of failure, for programs.',
  error_message: 'The failure in words.',
  latency_ms: 'Milliseconds that the attempt took; by default since its start.',
});
defaults('ReportAutomationRunRequest', { summary: '', error_class: '', error_message: '' });

export const RunReport = named(
  'AutomationRunReport',
  Type.Object({
    run_id: Id,
    status: OneOf(runStatuses),
    attempt_no: Type.Integer(),
    accepted: Type.Boolean(),
    duplicate: Type.Boolean(),
    next_attempt_at: NullableTimestamp,
  }),
);
explain('AutomationRunReport', {
  run_id: 'The run.',
  status: 'The status of the run after the report.',
  attempt_no: 'The number of the attempt that was reported.',
  accepted: 'True: the report holds. One that does not gets 409.',
  duplicate: 'True if the same end was reported before.',
  next_attempt_at: 'Time of the next attempt; null unless the run is `retrying`.',
});
