import { Type, type TProperties } from 'typebox';
import { explain, named, NullableNumber, OneOf, Text } from '../../http/schema.ts';
import { intervals } from '../../lib/days.ts';
import { Day, range, useFields } from '../consumption/schemas.ts';

export const MetricsQuery = Type.Object(
  {
    ...range,
    interval: Type.Optional(
      OneOf(intervals, {
        description:
          '`day` by default; a week begins on Monday. The range is extended to whole intervals, as the response says.',
      }),
    ),
    repo: Type.Optional(
      Text(300, { description: 'Of sessions on this repository: `owner/name`, or `provider:owner/name`.' }),
    ),
    tag: Type.Optional(
      Text(200, { minLength: 1, pattern: '^[^,]*$', 'x-form': 'one tag', description: 'Of sessions with this tag.' }),
    ),
  },
  { additionalProperties: false },
);

const Times = named(
  'MeasuredTimes',
  Type.Object({ count: Type.Integer(), p50_seconds: NullableNumber, p95_seconds: NullableNumber }),
);

const sessionFields = {
  created: Type.Integer(),
  completed: Type.Integer(),
  failed: Type.Integer(),
  canceled: Type.Integer(),
  success_rate: NullableNumber,
  queue_wait: Times,
  checked: Type.Integer(),
  verified_first_time: Type.Integer(),
  verified_first_time_rate: NullableNumber,
  waiting_for_people: Times,
  waiting_for_people_seconds: Type.Number(),
};
const changeRequestFields = {
  opened: Type.Integer(),
  merged: Type.Integer(),
  closed: Type.Integer(),
  merge_rate: NullableNumber,
  time_to_change_request: Times,
  time_to_merge: Times,
  edited_after_delivery: Type.Integer(),
  edited_after_delivery_rate: NullableNumber,
  cost_usd: Type.Number(),
  cost_per_merged_usd: NullableNumber,
};
const reviewFields = {
  requested: Type.Integer(),
  completed: Type.Integer(),
  failed: Type.Integer(),
  canceled: Type.Integer(),
  success_rate: NullableNumber,
  queue_wait: Times,
};
const automationFields = {
  runs_succeeded: Type.Integer(),
  runs_failed: Type.Integer(),
  runs_timed_out: Type.Integer(),
  runs_canceled: Type.Integer(),
  runs_skipped: Type.Integer(),
  run_success_rate: NullableNumber,
  run_duration: Times,
  sessions: Type.Integer(),
  completed: Type.Integer(),
  failed: Type.Integer(),
  canceled: Type.Integer(),
  success_rate: NullableNumber,
  queue_wait: Times,
  change_requests_opened: Type.Integer(),
  change_requests_merged: Type.Integer(),
  merge_rate: NullableNumber,
};

const outcomeFields = {
  posted: Type.Integer(),
  addressed: Type.Integer(),
  addressed_rate: NullableNumber,
  dismissed: Type.Integer(),
  dismissed_rate: NullableNumber,
  silent_at_merge: Type.Integer(),
  silent_at_merge_rate: NullableNumber,
};
const OutcomeGroups = Type.Array(named('ReviewOutcomeGroup', Type.Object({ name: Type.String(), ...outcomeFields })));
const ReviewOutcomes = named(
  'ReviewOutcomes',
  Type.Object({
    ...outcomeFields,
    by_severity: OutcomeGroups,
    by_category: OutcomeGroups,
    by_repository: OutcomeGroups,
    suggested_mutes: Type.Array(Type.String()),
  }),
);

const FollowOutcomes = named(
  'FollowOutcomes',
  Type.Object({
    followed: Type.Integer(),
    rounds: Type.Integer(),
    rounds_per_change_request: NullableNumber,
    fixed: Type.Integer(),
    red_to_green_seconds_p50: NullableNumber,
    needed_person: Type.Integer(),
    needed_person_rate: NullableNumber,
    merged: Type.Integer(),
    merged_without_human_commit: Type.Integer(),
    merged_without_human_commit_rate: NullableNumber,
  }),
);

/** The response of a metric: the same figures of each interval, and of all together. */
function Metrics<T extends TProperties>(name: string, fields: T) {
  return named(`${name}Metrics`, Type.Object(metricFields(name, fields)));
}

function metricFields<T extends TProperties>(name: string, fields: T) {
  const figures = named(`${name}Figures`, Type.Object(fields));
  const item = named(`${name}Interval`, Type.Object({ start: Day, ...fields }));
  return { from: Day, to: Day, interval: OneOf(intervals), totals: figures, items: Type.Array(item) };
}

const summaryFields = {
  sessions: named('SessionSummary', Type.Object(sessionFields)),
  change_requests: named('ChangeRequestSummary', Type.Object(changeRequestFields)),
  usage: named('UseSummary', Type.Object(useFields)),
};

export const SummaryMetrics = Metrics('Summary', summaryFields);
export const SessionMetrics = Metrics('Session', sessionFields);
export const ChangeRequestMetrics = named(
  'ChangeRequestMetrics',
  Type.Object({ ...metricFields('ChangeRequest', changeRequestFields), followed: FollowOutcomes }),
);
export const ReviewMetrics = named(
  'ReviewMetrics',
  Type.Object({ ...metricFields('Review', reviewFields), outcomes: ReviewOutcomes }),
);
export const UsageMetrics = Metrics('Usage', useFields);
export const AutomationMetrics = Metrics('Automation', automationFields);
export const ActiveUserMetrics = named(
  'ActiveUserMetrics',
  Type.Object({
    from: Day,
    to: Day,
    interval: OneOf(intervals),
    items: Type.Array(named('ActiveUserInterval', Type.Object({ start: Day, active_users: Type.Integer() }))),
  }),
);

const kinds = ['Summary', 'Session', 'ChangeRequest', 'Review', 'Usage', 'Automation', 'ActiveUser'];
explain(
  kinds.map((kind) => `${kind}Metrics`),
  {
    from: 'The first day of the first interval.',
    to: 'The last day of the last interval.',
    interval: 'The length of the intervals.',
    items: 'The intervals in order; those without anything are zeros.',
  },
);
explain(
  kinds.slice(0, -1).map((kind) => `${kind}Metrics`),
  { totals: 'The same for all intervals together.' },
);
explain(
  kinds.map((kind) => `${kind}Interval`),
  { start: 'The first day of the interval.' },
);
explain('ActiveUserInterval', {
  active_users: 'Number of users who created a session, wrote to one or decided an approval.',
});
explain('MeasuredTimes', {
  count: 'Number of measured times.',
  p50_seconds: 'The median, within 19 %; null without any.',
  p95_seconds: 'The 95th percentile, within 19 %; null without any.',
});
explain(['SummaryFigures', 'SummaryInterval'], {
  sessions: 'As at `/metrics/sessions`.',
  change_requests: 'As at `/metrics/change-requests`.',
  usage: 'As at `/metrics/usage`.',
});
explain(['SessionFigures', 'SessionInterval', 'SessionSummary', 'ReviewFigures', 'ReviewInterval'], {
  completed: 'Number of sessions that completed for the first time.',
  failed: 'Number of sessions that failed for the first time.',
  canceled: 'Number of canceled sessions.',
  success_rate: '`completed` / (`completed` + `failed`); null if both are 0.',
  queue_wait: 'The time from the creation of a session to its start.',
});
explain(['SessionFigures', 'SessionInterval', 'SessionSummary'], {
  created: 'Number of created sessions.',
  checked: 'Number of sessions whose work was checked for the first time, when that turn ended.',
  verified_first_time: 'Number of those whose first check passed.',
  verified_first_time_rate: '`verified_first_time` / `checked`; null without any.',
  waiting_for_people: 'The times for which sessions waited for an answer or an approval, when they ended.',
  waiting_for_people_seconds: 'The sum of these times.',
});
explain('ChangeRequestMetrics', {
  followed: 'What became of the change requests that sessions began to follow in this time, as of now.',
});
explain('FollowOutcomes', {
  followed: 'Number of change requests.',
  rounds: 'Number of rounds: messages to sessions about checks, comments, reviews and conflicts.',
  rounds_per_change_request: '`rounds` / `followed`; null without any.',
  fixed: 'Number of times that failing checks became green.',
  red_to_green_seconds_p50: 'The median time from failing checks to green ones; null without any.',
  needed_person: 'Number of change requests that needed a person at some time.',
  needed_person_rate: '`needed_person` / `followed`; null without any.',
  merged: 'Number of merged ones.',
  merged_without_human_commit: 'Number of merged ones to which only sessions pushed.',
  merged_without_human_commit_rate: '`merged_without_human_commit` / `merged`; null without any.',
});
explain('ReviewMetrics', { outcomes: 'What became of the findings that reviews posted in this time, as of now.' });
explain(['ReviewOutcomes', 'ReviewOutcomeGroup'], {
  posted: 'Number of findings that got a comment of their own.',
  addressed: 'Number of those that a later commit resolved.',
  addressed_rate: '`addressed` / `posted`; null without any.',
  dismissed: 'Number of those that people dismissed.',
  dismissed_rate: '`dismissed` / `posted`; null without any.',
  silent_at_merge: 'Number of those that were still open when the change request was merged.',
  silent_at_merge_rate: '`silent_at_merge` / `posted`; null without any.',
});
explain('ReviewOutcomeGroup', { name: 'The severity, the category, or the repository as `provider:owner/name`.' });
explain('ReviewOutcomes', {
  by_severity: 'The same by severity.',
  by_category: 'The same by category: the 100 with the most findings.',
  by_repository: 'The same by repository: the 100 with the most findings.',
  suggested_mutes:
    'Categories with at least 30 findings of which less than 30 % were addressed: candidates for `muted_categories` of the policy.',
});
explain(['ReviewFigures', 'ReviewInterval'], { requested: 'Number of created sessions that review a change request.' });
explain(['ChangeRequestFigures', 'ChangeRequestInterval', 'ChangeRequestSummary'], {
  opened: 'Number of change requests that sessions opened.',
  merged: 'Number of merged ones.',
  closed: 'Number of those closed without a merge.',
  merge_rate: '`merged` / (`merged` + `closed`); null if both are 0.',
  time_to_change_request: 'The time from the creation of a session to its change request.',
  time_to_merge: 'The time from the opening to the merge.',
  edited_after_delivery:
    'Number of merged or closed ones to whose branch someone pushed after the last push of the session.',
  edited_after_delivery_rate: '`edited_after_delivery` / (`merged` + `closed`); null if both are 0.',
  cost_usd: 'The cost of all sessions in this time, also of those without a change request.',
  cost_per_merged_usd: '`cost_usd` / `merged`; null without any.',
});
explain(['AutomationFigures', 'AutomationInterval'], {
  runs_succeeded: 'Number of runs that succeeded, when they ended.',
  runs_failed: 'Number of runs that failed after their last attempt.',
  runs_timed_out: 'Number of runs that took too long.',
  runs_canceled: 'Number of canceled runs.',
  runs_skipped: 'Number of runs that did not start.',
  run_success_rate: 'Share of `runs_succeeded` among those that succeeded, failed or timed out; null without any.',
  run_duration: 'The time from the start of a run that succeeded to its end.',
  sessions: 'Number of sessions that automations created, with their child sessions.',
  completed: 'Number of those that completed for the first time.',
  failed: 'Number of those that failed for the first time.',
  canceled: 'Number of those that were canceled.',
  success_rate: '`completed` / (`completed` + `failed`); null if both are 0.',
  queue_wait: 'The time from the creation of a session to its start.',
  change_requests_opened: 'Number of change requests that they opened.',
  change_requests_merged: 'Number of those that were merged.',
  merge_rate: 'Share of merged ones among those that were merged or closed; null without any.',
});
explain(['UsageFigures', 'UsageInterval', 'UseSummary'], {
  calls: 'Number of model calls.',
  input_tokens: 'Tokens of requests, with those from and to a cache.',
  output_tokens: 'Tokens of responses.',
  cached_input_tokens: 'Input tokens that were read from a cache.',
  cache_write_tokens: 'Input tokens that were written to a cache.',
  cost_usd: 'Sum of the costs of the calls, each by the price at its time.',
  sandbox_minutes: 'Minutes that sandboxes ran; counted when a turn ends.',
});
