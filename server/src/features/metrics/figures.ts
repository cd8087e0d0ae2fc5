import type { Use } from '../consumption/use.ts';
import { toMillionth } from '../../lib/rounded.ts';
import { countOf, rateOf, secondsOf, timesOf, type Tally } from './tally.ts';

/** Everything that is known about an interval. */
export interface Known {
  tally: Tally;
  use: Use;
}

export const sessionMetrics = [
  'session.created',
  'session.completed',
  'session.failed',
  'session.canceled',
  'session.queued',
  'session.verify_passed',
  'session.verify_failed',
  'session.waited',
] as const;

export function sessionFigures({ tally }: Known) {
  const [completed, failed] = [countOf(tally, 'session.completed'), countOf(tally, 'session.failed')];
  const passed = countOf(tally, 'session.verify_passed');
  const checked = passed + countOf(tally, 'session.verify_failed');
  return {
    created: countOf(tally, 'session.created'),
    completed,
    failed,
    canceled: countOf(tally, 'session.canceled'),
    success_rate: rateOf(completed, completed + failed),
    queue_wait: timesOf(tally, 'session.queued'),
    checked,
    verified_first_time: passed,
    verified_first_time_rate: rateOf(passed, checked),
    waiting_for_people: timesOf(tally, 'session.waited'),
    waiting_for_people_seconds: secondsOf(tally, 'session.waited'),
  };
}

export const changeRequestMetrics = [
  'change_request.opened',
  'change_request.merged',
  'change_request.closed',
  'change_request.edited',
] as const;

export function changeRequestFigures({ tally, use }: Known) {
  const [merged, closed] = [countOf(tally, 'change_request.merged'), countOf(tally, 'change_request.closed')];
  const edited = countOf(tally, 'change_request.edited');
  return {
    opened: countOf(tally, 'change_request.opened'),
    merged,
    closed,
    merge_rate: rateOf(merged, merged + closed),
    time_to_change_request: timesOf(tally, 'change_request.opened'),
    time_to_merge: timesOf(tally, 'change_request.merged'),
    edited_after_delivery: edited,
    edited_after_delivery_rate: rateOf(edited, merged + closed),
    cost_usd: use.cost_usd,
    cost_per_merged_usd: merged === 0 ? null : toMillionth(use.cost_usd / merged),
  };
}

export const reviewMetrics = ['created', 'completed', 'failed', 'canceled', 'queued'].map(
  (name) => `review/session.${name}`,
);

export function reviewFigures({ tally }: Known) {
  const count = (name: string): number => countOf(tally, `review/session.${name}`);
  return {
    requested: count('created'),
    completed: count('completed'),
    failed: count('failed'),
    canceled: count('canceled'),
    success_rate: rateOf(count('completed'), count('completed') + count('failed')),
    queue_wait: timesOf(tally, 'review/session.queued'),
  };
}

export const automationMetrics = [
  ...['created', 'completed', 'failed', 'canceled', 'queued'].map((name) => `automation/session.${name}`),
  ...changeRequestMetrics.map((name) => `automation/${name}`),
  ...['succeeded', 'failed', 'timed_out', 'canceled', 'skipped'].map((name) => `run.${name}`),
];

export function automationFigures({ tally }: Known) {
  const count = (name: string): number => countOf(tally, `automation/${name}`);
  const [merged, closed] = [count('change_request.merged'), count('change_request.closed')];
  const run = (status: string): number => countOf(tally, `run.${status}`);
  return {
    runs_succeeded: run('succeeded'),
    runs_failed: run('failed'),
    runs_timed_out: run('timed_out'),
    runs_canceled: run('canceled'),
    runs_skipped: run('skipped'),
    run_success_rate: rateOf(run('succeeded'), run('succeeded') + run('failed') + run('timed_out')),
    run_duration: timesOf(tally, 'run.succeeded'),
    sessions: count('session.created'),
    completed: count('session.completed'),
    failed: count('session.failed'),
    canceled: count('session.canceled'),
    success_rate: rateOf(count('session.completed'), count('session.completed') + count('session.failed')),
    queue_wait: timesOf(tally, 'automation/session.queued'),
    change_requests_opened: count('change_request.opened'),
    change_requests_merged: merged,
    merge_rate: rateOf(merged, merged + closed),
  };
}
