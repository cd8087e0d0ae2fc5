import cronstrue from 'cronstrue';
import type { Schemas } from '../../lib/api.ts';

export type Automation = Schemas['Automation'];
export type AutomationRun = Schemas['AutomationRun'];
export type Trigger = Automation['triggers'][number];
export type TriggerType = Trigger['type'];
export type Condition = Trigger['conditions'][number];
export type Operator = Condition['operator'];

/** Returns a cron expression in words; `''` if it cannot be read. */
export function cronWords(cron: string): string {
  const fields = cron.trim().split(/\s+/);
  if (fields.length !== 5) return '';
  try {
    return cronstrue.toString(fields.join(' '), { use24HourTimeFormat: true });
  } catch {
    return '';
  }
}

/** Returns a time zone as people say it: `Europe/Berlin` is `Berlin`. */
function zoneWord(timezone: string): string {
  return timezone === '' ? 'UTC' : (timezone.split('/').at(-1) ?? timezone).replaceAll('_', ' ');
}

/** Types of triggers that can be made, with the word of each. */
export const triggerTypes = [
  ['schedule', 'At the times of a schedule'],
  ['once', 'Once, at a time'],
  ['webhook', 'When a request comes to its URL'],
  ['push', 'When a branch is pushed to'],
  ['change_request', 'When a change request opens or changes'],
] as const satisfies readonly (readonly [TriggerType, string])[];

/** Triggers that bring a payload, which conditions are about. */
export function hasPayload(type: string): boolean {
  return type === 'webhook' || type === 'push' || type === 'change_request';
}

const events: Partial<Record<TriggerType, string>> = {
  webhook: 'A request comes to its URL',
  push: 'A push',
  change_request: 'A change request opens or changes',
  issue: 'An issue opens',
};

/** Returns when a trigger starts a run: `At 02:30, Monday through Friday, Berlin time`. */
export function triggerWords({
  type,
  cron,
  timezone,
  at,
  conditions,
}: Partial<Trigger> & { type: TriggerType }): string {
  if (type === 'schedule') {
    const words = cronWords(cron ?? '');
    return `${words === '' ? (cron ?? '') : words}, ${zoneWord(timezone ?? '')} time`;
  }
  if (type === 'once') return `Once, ${at === null || at === undefined ? 'at no time' : timeWords(at)}`;
  const all = (conditions ?? []).map(conditionWords);
  return all.length === 0 ? (events[type] ?? type) : `${events[type] ?? type}, and ${all.join(', and ')}`;
}

/** Returns when an automation runs, in one line. */
export function triggersWords(triggers: readonly Trigger[]): string {
  return triggers.length === 0 ? 'Only when somebody runs it' : triggers.map(triggerWords).join(' · ');
}

function timeWords(at: string): string {
  const time = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
  return time.format(new Date(at));
}

/** How values are compared, with the word of each. */
export const operators = [
  ['equals', 'is'],
  ['not_equals', 'is not'],
  ['matches', 'matches'],
  ['not_matches', 'does not match'],
  ['contains', 'contains'],
  ['not_contains', 'does not contain'],
  ['greater_than', 'is more than'],
  ['less_than', 'is less than'],
  ['exists', 'is there'],
  ['absent', 'is not there'],
] as const satisfies readonly (readonly [Operator, string])[];

/** Operators without a value. */
export function needsValue(operator: string): boolean {
  return operator !== 'exists' && operator !== 'absent';
}

/** Returns a condition in words: `/branch is "main"`. */
export function conditionWords({ path, operator, value }: Condition): string {
  const word = operators.find(([id]) => id === operator)?.[1] ?? operator;
  const name = path === '' ? 'the payload' : path;
  return needsValue(operator) ? `${name} ${word} ${JSON.stringify(value)}` : `${name} ${word}`;
}

/** What happens if a run comes due while another has not ended. */
export const concurrencies = [
  ['skip', 'Skip the new one', 'A slow run costs the occasions that come in its time.'],
  ['queue', 'Let the new one wait', 'All of them run, one after the other; they can pile up.'],
  ['replace', 'Cancel the old one', 'Only the newest counts; unfinished work is lost.'],
  ['parallel', 'Run both', 'They may work on the same files at once.'],
] as const satisfies readonly (readonly [Automation['concurrency'], string, string])[];

/** What happens to times that passed while no scheduler ran. */
export const missedRuns = [
  ['run_once', 'Run once for all of them', 'One run follows as soon as the platform is back.'],
  ['skip', 'Skip them', 'The next run is at the next time.'],
  ['catch_up', 'Run once for each', 'All of them follow, at most the latest 1,440.'],
] as const satisfies readonly (readonly [Automation['missed_runs'], string, string])[];

/** Whose secrets and limits the sessions have. */
export const runAs = [
  ['creator', 'As the person who created it', 'Sessions have that person’s secrets and limits.'],
  ['organization', 'As the organization', 'Sessions have only what belongs to everybody.'],
] as const satisfies readonly (readonly [Automation['run_as'], string, string])[];

/** Who does the work. */
export const executors = [
  ['platform', 'A session of this platform', 'Each run starts a session.'],
  ['external', 'A program of your own', 'It claims the runs through the API, and reports how they end.'],
] as const satisfies readonly (readonly [Automation['executor'], string, string])[];

/** Words about what a choice of three columns means. */
export function choiceWord(choices: readonly (readonly [string, string, string])[], value: string): string {
  return choices.find(([id]) => id === value)?.[1] ?? value;
}

/** The state of a run: its word, its sign, and its tone. */
export interface RunState {
  word: string;
  sign: string;
  tone: 'plain' | 'ok' | 'wait' | 'bad' | 'run';
}

const runStates: Record<AutomationRun['status'], RunState> = {
  scheduled: { word: 'Scheduled', sign: '○', tone: 'plain' },
  pending: { word: 'Waits to start', sign: '○', tone: 'run' },
  running: { word: 'Running', sign: '●', tone: 'run' },
  retrying: { word: 'Tries again', sign: '↻', tone: 'wait' },
  // Only what the platform proved is green; that a run ended is no proof.
  succeeded: { word: 'Succeeded', sign: '✓', tone: 'plain' },
  failed: { word: 'Failed', sign: '✕', tone: 'bad' },
  timed_out: { word: 'Timed out', sign: '✕', tone: 'bad' },
  canceled: { word: 'Canceled', sign: '–', tone: 'plain' },
  skipped: { word: 'Skipped', sign: '–', tone: 'plain' },
};

export function runState(status: AutomationRun['status']): RunState {
  return runStates[status];
}

export const runStatuses = Object.entries(runStates).map(([id, { word }]) => [id, word] as const);

/** What started a run. */
export const runTriggers: readonly (readonly [string, string])[] = [
  ['schedule', 'Schedule'],
  ['once', 'Single time'],
  ['webhook', 'Webhook'],
  ['push', 'Push'],
  ['change_request', 'Change request'],
  ['followup', 'Follow-up'],
  ['manual', 'A person'],
];

export function triggerWord(trigger: string): string {
  return runTriggers.find(([id]) => id === trigger)?.[1] ?? trigger;
}

/** True if a trigger may start it. */
export function isOn({ enabled, status }: Pick<Automation, 'enabled' | 'status'>): boolean {
  return enabled && status !== 'paused';
}

/** What is remarkable about the state of an automation; undefined if nothing is. */
export function remarkOf({
  enabled,
  status,
  consecutive_failures: failures,
}: Pick<Automation, 'enabled' | 'status' | 'consecutive_failures'>):
  | { word: string; tone: RunState['tone'] }
  | undefined {
  const times = failures === 1 ? '1 failure' : `${failures} failures`;
  if (status === 'paused')
    return failures > 0 ? { word: `Paused after ${times}`, tone: 'bad' } : { word: 'Paused', tone: 'plain' };
  if (!enabled) return { word: 'Off', tone: 'plain' };
  return status === 'degraded' ? { word: `Failing, ${times} in a row`, tone: 'bad' } : undefined;
}
