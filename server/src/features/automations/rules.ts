import type { Actor } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { AppError } from '../../lib/errors.ts';
import { FieldError } from '../../lib/field-error.ts';
import { agentForSession } from '../agents/service.ts';
import { requireSource } from '../sessions/api/repository-choice-service.ts';
import { requireOutputSchema } from '../sessions/run/output-service.ts';
import { settingsOf, settingsReader } from '../settings/service.ts';
import { checkTags } from '../settings/tag-policy.ts';
import { requireTemplate } from './prompt.ts';
import type { CreateAutomation, StoredAction, StoredTrigger, UpdateAutomation } from './schemas.ts';
import type { AutomationRow } from './store.ts';

/** The definition of an automation: what people write. */
export type Definition = Pick<
  AutomationRow,
  | 'name'
  | 'enabled'
  | 'triggers'
  | 'action'
  | 'executor'
  | 'run_as'
  | 'concurrency'
  | 'missed_runs'
  | 'max_attempts'
  | 'backoff_seconds'
  | 'timeout_minutes'
  | 'pause_after_failures'
>;

export const defaultDefinition = {
  enabled: true,
  executor: 'platform',
  run_as: 'creator',
  concurrency: 'skip',
  missed_runs: 'run_once',
  max_attempts: 1,
  backoff_seconds: 60,
  timeout_minutes: 120,
  pause_after_failures: null,
} as const;

const emptyAction: StoredAction = {
  prompt_template: '',
  repositories: [],
  agent_id: '',
  tags: [],
  budget: {},
  structured_output_schema: {},
  deliver: '',
};

/** Returns a definition with the given fields; omitted ones stay as they are in `before`. */
export function definitionWith(
  before: Omit<Definition, 'name' | 'triggers' | 'action'> & { name?: string; action?: StoredAction },
  input: CreateAutomation | UpdateAutomation,
  triggers: StoredTrigger[],
): Definition {
  const { retry = {} } = input;
  return {
    name: input.name ?? before.name ?? '',
    enabled: input.enabled ?? before.enabled,
    triggers,
    action: actionWith(before.action ?? emptyAction, input.action ?? {}),
    executor: input.executor ?? before.executor,
    run_as: input.run_as ?? before.run_as,
    concurrency: input.concurrency ?? before.concurrency,
    missed_runs: input.missed_runs ?? before.missed_runs,
    max_attempts: retry.max_attempts ?? before.max_attempts,
    backoff_seconds: retry.backoff_seconds ?? before.backoff_seconds,
    timeout_minutes: input.timeout_minutes ?? before.timeout_minutes,
    pause_after_failures:
      input.pause_after_failures === undefined ? before.pause_after_failures : input.pause_after_failures,
  };
}

function actionWith(
  before: StoredAction,
  { repositories, ...given }: NonNullable<UpdateAutomation['action']>,
): StoredAction {
  return {
    ...before,
    ...given,
    repositories:
      repositories === undefined
        ? before.repositories
        : repositories.map(({ provider = '', repo, ref = '' }) => ({ provider, repo, ref })),
  };
}

/** Checks an action as far as it can be known before a session is created. */
export async function requireAction(ctx: Pick<Context, 'db'>, orgId: string, action: StoredAction): Promise<void> {
  requireTemplate(action.prompt_template, '/action/prompt_template');
  if (action.agent_id !== '') await agentForSession(ctx, orgId, action.agent_id, '');
  await inAction(async () => {
    if (action.deliver !== '') requireSource({ repositories: action.repositories, deliver: action.deliver });
    if (Object.keys(action.structured_output_schema).length > 0)
      await requireOutputSchema({ structured_output_schema: action.structured_output_schema });
    if (action.tags.length === 0) return;
    const settings = await settingsReader(ctx.db.kysely, orgId, ['run_tags']);
    checkTags(settings('run_tags'), action.tags);
  });
}

/** Names the fields of the action in what a check of sessions' fields throws. */
async function inAction(check: () => Promise<void>): Promise<void> {
  try {
    await check();
  } catch (error) {
    if (!(error instanceof FieldError)) throw error;
    const { code, details } = error;
    const issues = error.issues.map((issue) => ({ ...issue, path: `/action${issue.path}` }));
    throw new FieldError(issues, { code, ...(details === undefined ? {} : { details }) });
  }
}

export type AutomationSettings = Awaited<ReturnType<typeof automationSettings>>;

export async function automationSettings(ctx: Pick<Context, 'db'>, orgId: string) {
  return settingsOf(ctx.db.kysely, orgId, 'automations');
}

/**
 * Throws 403 `forbidden` if a principal would change what another one's automation does in that one's name: the prompt
 * reaches the creator's own secrets and notes.
 */
export function requireOwn(
  { principal }: Actor,
  before: Pick<AutomationRow, 'run_as' | 'created_by_type' | 'created_by_id' | 'action'>,
  after: Definition,
  changes: readonly string[],
): void {
  if (after.run_as !== 'creator') return;
  if (before.created_by_type === principal.type && before.created_by_id === principal.id) return;
  if (!changes.includes('action') && !changes.includes('run_as')) return;
  throw new AppError(
    'forbidden',
    'This automation runs as its creator, so only the creator can change its action. Set run_as to "organization" as well, or create your own.',
  );
}
