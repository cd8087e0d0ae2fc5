import type { Schemas } from '../../../lib/api.ts';
import type { Draft } from '../../sessions/composer/draft.ts';
import { fromLocalField, ownZone, toLocalField } from '../zone.ts';
import { hasPayload, needsValue, type Automation, type Operator, type TriggerType } from '../words.ts';

/** A condition as the editor holds it: its value as text. */
export interface ConditionValues {
  path: string;
  operator: Operator;
  value: string;
}

export interface TriggerValues {
  /** '' for a new one. */
  id: string;
  type: TriggerType;
  cron: string;
  timezone: string;
  /** In the reader's zone, as `datetime-local` has it. */
  at: string;
  conditions: ConditionValues[];
}

const limits = ['max_cost_usd', 'max_tokens', 'max_minutes', 'max_turns'] as const;
type Limit = (typeof limits)[number];

const noLimits: Record<Limit, number | null> = {
  max_cost_usd: null,
  max_tokens: null,
  max_minutes: null,
  max_turns: null,
};

/** The fields of the editor; their names are those of the API, so that its issues find them. */
export interface EditorValues {
  name: string;
  enabled: boolean;
  triggers: TriggerValues[];
  action: {
    prompt_template: string;
    repositories: { provider: '' | Schemas['Repository']['provider']; repo: string; ref: string }[];
    agent_id: string;
    /** Separated by commas. */
    tags: string;
    deliver: Automation['action']['deliver'];
    /** null: no limit of its own. */
    budget: Record<Limit, number | null>;
  };
  executor: Automation['executor'];
  run_as: Automation['run_as'];
  concurrency: Automation['concurrency'];
  missed_runs: Automation['missed_runs'];
  retry: { max_attempts: number; backoff_seconds: number };
  timeout_minutes: number;
  /** null: as the settings say. */
  pause_after_failures: number | null;
}

/** Returns a new trigger of a type. */
export function newTrigger(type: TriggerType = 'schedule'): TriggerValues {
  return { id: '', type, cron: type === 'schedule' ? '30 2 * * 1-5' : '', timezone: ownZone(), at: '', conditions: [] };
}

export function newAutomation(): EditorValues {
  return {
    name: '',
    enabled: true,
    triggers: [newTrigger()],
    action: {
      prompt_template: '',
      repositories: [{ provider: '', repo: '', ref: '' }],
      agent_id: '',
      tags: '',
      deliver: '',
      budget: { ...noLimits },
    },
    executor: 'platform',
    run_as: 'creator',
    concurrency: 'skip',
    missed_runs: 'run_once',
    retry: { max_attempts: 1, backoff_seconds: 60 },
    timeout_minutes: 120,
    pause_after_failures: null,
  };
}

/** Returns an automation that starts the session which a draft describes, as far as automations can. */
export function valuesOfDraft(draft: Draft): EditorValues {
  const values = newAutomation();
  const limitOf = (text: string) => (text.trim() === '' ? null : Number(text));
  return {
    ...values,
    name: draft.title,
    action: {
      ...values.action,
      prompt_template: draft.prompt,
      repositories: draft.repositories.map(({ repo, ref }) => ({ provider: '' as const, repo, ref })),
      agent_id: draft.agentId,
      tags: draft.tags,
      deliver: draft.deliver,
      budget: {
        max_cost_usd: limitOf(draft.maxCost),
        max_tokens: limitOf(draft.maxTokens),
        max_minutes: limitOf(draft.maxMinutes),
        max_turns: limitOf(draft.maxTurns),
      },
    },
  };
}

/** Returns what the editor shows of an automation. */
export function valuesOf(automation: Automation): EditorValues {
  const { name, enabled, triggers, action, retry } = automation;
  const { executor, run_as, concurrency, missed_runs, timeout_minutes, pause_after_failures } = automation;
  return {
    name,
    enabled,
    triggers: triggers.map(({ id, type, cron, timezone, at, conditions }) => ({
      id,
      type,
      cron: cron ?? '',
      timezone: timezone ?? '',
      at: toLocalField(at),
      conditions: conditions.map((one) => ({ ...one, value: valueText(one.operator, one.value) })),
    })),
    action: {
      prompt_template: action.prompt_template,
      repositories: action.repositories.map(({ provider, repo, ref }) => ({ provider, repo, ref })),
      agent_id: action.agent_id,
      tags: action.tags.join(', '),
      deliver: action.deliver,
      budget: { ...noLimits, ...action.budget },
    },
    executor,
    run_as,
    concurrency,
    missed_runs,
    retry: { ...retry },
    timeout_minutes,
    pause_after_failures,
  };
}

/** Returns the request. */
export function requestOf(values: EditorValues): Schemas['CreateAutomationRequest'] {
  const { action, triggers, ...rest } = values;
  return {
    ...rest,
    triggers: triggersOf(triggers),
    action: {
      prompt_template: action.prompt_template,
      repositories: action.repositories
        .map(({ provider, repo, ref }) => ({ provider, repo: repo.trim(), ref: ref.trim() }))
        .filter(({ repo }) => repo !== ''),
      agent_id: action.agent_id,
      tags: textsOf(action.tags),
      deliver: action.deliver,
      budget: Object.fromEntries(
        limits.flatMap((limit) => (action.budget[limit] === null ? [] : [[limit, action.budget[limit]]])),
      ),
    },
  };
}

/** Returns the triggers of a request. */
export function triggersOf(triggers: readonly TriggerValues[]): Schemas['CreateAutomationRequest']['triggers'] {
  return triggers.map(({ id, type, cron, timezone, at, conditions }) => ({
    ...(id === '' ? {} : { id }),
    type,
    ...(type === 'schedule' ? { cron: cron.trim(), timezone: timezone.trim() } : {}),
    ...(type === 'once' ? { at: fromLocalField(at) } : {}),
    conditions: hasPayload(type)
      ? conditions.map(({ path, operator, value }) => ({
          path: path.trim(),
          operator,
          ...(needsValue(operator) ? { value: valueOf(operator, value) } : {}),
        }))
      : [],
  }));
}

/** Reads the value of a condition: a number, `true`, `false` and `null` mean themselves; the rest is text, also in quotes. */
export function valueOf(operator: Operator, text: string): string | number | boolean | null {
  if (operator === 'matches' || operator === 'not_matches') return text;
  try {
    const value: unknown = JSON.parse(text);
    if (value === null || typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string')
      return value;
  } catch {
    // It is no JSON: it means itself.
  }
  return text;
}

/** Writes a value such that `valueOf` reads the same. */
function valueText(operator: Operator, value: string | number | boolean | null): string {
  if (!needsValue(operator)) return '';
  if (typeof value !== 'string') return String(value);
  return valueOf(operator, value) === value ? value : JSON.stringify(value);
}

function textsOf(line: string): string[] {
  return line
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '');
}
