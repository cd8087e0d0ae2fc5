import { FieldError, fieldError } from '../../lib/field-error.ts';
import { newId } from '../../lib/ids.ts';
import { parseInstant } from '../../lib/instant.ts';
import { parseTimeZone } from '../../lib/time-zone.ts';
import { operators, type Operator, type StoredCondition } from './conditions.ts';
import { isMoreFrequent, scheduleProblem } from './schedule.ts';
import type { StoredTrigger, TriggerInput } from './schemas.ts';

export interface TriggerRules {
  now: Date;
  /** Of the organization's settings. */
  minIntervalMinutes: number;
  /** The triggers before: one that is sent with its id keeps it, and so a webhook its URL. */
  known?: readonly StoredTrigger[];
  /** Nothing is saved: ids are ignored. */
  isSample?: boolean;
}

/** Returns triggers in their stored form. Throws 400 `invalid_schedule` or `invalid_request`. */
export function storedTriggers(inputs: readonly TriggerInput[], rules: TriggerRules): StoredTrigger[] {
  const triggers = inputs.map((input, index) => storedTrigger(input, `/triggers/${index}`, rules));
  const webhooks = triggers.filter(({ type }) => type === 'webhook');
  if (webhooks.length > 1)
    throw fieldError('/triggers', 'can have one webhook. Distinguish the senders by its conditions.');
  const ids = new Set(triggers.map(({ id }) => id));
  if (ids.size < triggers.length) throw fieldError('/triggers', 'has an id twice.');
  return triggers;
}

function storedTrigger(input: TriggerInput, path: string, rules: TriggerRules): StoredTrigger {
  const { type } = input;
  refuseForeign(input, path);
  const conditions = (input.conditions ?? []).map((condition, index) =>
    storedCondition(condition, `${path}/conditions/${index}`),
  );
  const common = { id: idOf(input, path, rules), type, conditions };
  if (type === 'schedule') return { ...common, ...scheduleOf(input, path, rules), at: '' };
  if (type === 'once') return { ...common, cron: '', timezone: '', at: timeOf(input, path, rules) };
  return { ...common, cron: '', timezone: '', at: '' };
}

/** Refuses fields without an effect on a trigger of this type; they may have the values that are shown for none. */
function refuseForeign(
  { type, cron = '', timezone = '', at = null, conditions = [] }: TriggerInput,
  path: string,
): void {
  const isTimed = type === 'schedule' || type === 'once';
  const foreign = {
    cron: type !== 'schedule' && cron.trim() !== '',
    timezone: type !== 'schedule' && timezone !== '',
    at: type !== 'once' && at !== null,
    conditions: isTimed && conditions.length > 0,
  };
  for (const [name, isForeign] of Object.entries(foreign))
    if (isForeign) throw fieldError(`${path}/${name}`, `must be omitted for the type "${type}".`);
}

function idOf(
  { id = '', type }: TriggerInput,
  path: string,
  { now, known = [], isSample = false }: TriggerRules,
): string {
  if (id === '' || isSample) return newId('hook', now.getTime());
  if (!known.some((trigger) => trigger.id === id && trigger.type === type))
    throw fieldError(
      `${path}/id`,
      `must be the id of a trigger of this automation with the type "${type}", or omitted.`,
    );
  return id;
}

/** A schedule that is too frequent is accepted if it stays as it was: the scheduler skips the times that come too soon. */
function scheduleOf(input: TriggerInput, path: string, { now, minIntervalMinutes, known = [] }: TriggerRules) {
  const cron = (input.cron ?? '').trim().replaceAll(/\s+/g, ' ');
  const timezone = input.timezone === undefined || input.timezone === '' ? 'UTC' : input.timezone;
  const problem = scheduleProblem({ cron, timezone }, now);
  if (problem !== undefined)
    throw new FieldError([{ path: `${path}/${problem.field}`, message: problem.message }], {
      code: 'invalid_schedule',
    });
  const schedule = { cron, timezone: parseTimeZone(timezone) ?? timezone };
  const isUnchanged = known.some(
    (one) => one.id === input.id && one.cron === schedule.cron && one.timezone === schedule.timezone,
  );
  if (!isUnchanged && isMoreFrequent(cron, minIntervalMinutes, now))
    throw fieldError(
      `${path}/cron`,
      `must leave at least ${minIntervalMinutes} minutes between two times (settings, automations.min_interval_minutes).`,
      { code: 'invalid_schedule', details: { min_interval_minutes: minIntervalMinutes } },
    );
  return schedule;
}

/** A past time is accepted if it stays as it was, so that other fields can be changed afterwards. */
function timeOf({ id, at }: TriggerInput, path: string, { now, known = [] }: TriggerRules): string {
  const time = parseInstant(at ?? '');
  const invalid = { code: 'invalid_schedule' } as const;
  if (time === undefined) throw fieldError(`${path}/at`, 'must be a time, such as "2027-01-31T09:00:00Z".', invalid);
  const text = time.toISOString();
  const isUnchanged = known.some((trigger) => trigger.id === id && trigger.at === text);
  if (time <= now && !isUnchanged) throw fieldError(`${path}/at`, 'must be in the future.', invalid);
  return text;
}

const withoutValue: ReadonlySet<Operator> = new Set(['exists', 'absent']);
const ofTexts: ReadonlySet<Operator> = new Set(['matches', 'not_matches']);
const ofNumbers: ReadonlySet<Operator> = new Set(['greater_than', 'less_than']);

function storedCondition(
  { path: pointer, operator, value = null }: NonNullable<TriggerInput['conditions']>[number],
  path: string,
): StoredCondition {
  if (pointer !== '' && !pointer.startsWith('/'))
    throw fieldError(`${path}/path`, 'must be a JSON pointer into the payload, such as "/ref".');
  if (!operators.includes(operator)) throw fieldError(`${path}/operator`, 'is unknown.');
  if (withoutValue.has(operator) && value !== null)
    throw fieldError(`${path}/value`, `must be omitted for "${operator}".`);
  if (ofTexts.has(operator) && typeof value !== 'string')
    throw fieldError(`${path}/value`, `must be a string for "${operator}".`);
  if (ofNumbers.has(operator) && typeof value !== 'number')
    throw fieldError(`${path}/value`, `must be a number for "${operator}".`);
  return { path: pointer, operator, value };
}
