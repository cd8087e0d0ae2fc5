import { agentDriver } from '../../../adapters/agent/drivers.ts';
import type { Transaction } from 'kysely';
import type { Actor, Caller } from '../../../caller.ts';
import type { Context } from '../../../app/context.ts';
import type { DB } from '../../../db/types.ts';
import { fieldError } from '../../../lib/field-error.ts';
import { newId } from '../../../lib/ids.ts';
import { isBlank, oneLine } from '../../../lib/one-line.ts';
import { agentForSession, runtimeProblem } from '../../agents/service.ts';
import { requireAttachments } from '../../attachments/service.ts';
import { mutate } from '../../../mutation/mutate.ts';
import { requireNotes } from '../../knowledge/public.ts';
import { requireAdmission } from '../../groups/admission-service.ts';
import { admitCreation, recordingBlocks } from '../../guardrails/public.ts';
import { requireServers } from '../../mcp-servers/public.ts';
import { modelsIn } from '../../settings/models.ts';
import { settingsReader, type Setting } from '../../settings/service.ts';
import { checkTags } from '../../settings/tag-policy.ts';
import { prepareSessionSecrets } from '../../secrets/session-input.ts';
import { requireSkills } from '../../skills/public.ts';
import { requireStorage } from '../../storage/quota-service.ts';
import { budgetWithin } from '../run/budget.ts';
import { requireBudget } from '../dispatch/limit-service.ts';
import { addChild, parentOf, requireParentsFiles, requireParentsModel, withinParent } from './child-service.ts';
import { beginLog, repositoryWarning, tagWarning, waiting } from './beginning.ts';
import { givenIds } from './context-service.ts';
import { budgetUnder, guardrailsOf, underGuardrails } from './guardrail-service.ts';
import { refuseOthersPrograms } from './own-secrets-service.ts';
import { chooseModel } from './model-choice-service.ts';
import { requireOutputSchema } from '../run/output-service.ts';
import type { CreateSession, StoredRepository } from '../schemas/session-schemas.ts';
import { chooseRepositories, continueChangeRequests, requireSource } from './repository-choice-service.ts';
import { sessionIn, type SessionContext } from './service.ts';
import { insertSession, type SessionRow } from '../store/session-store.ts';

export type CreateContext = SessionContext & Pick<Context, 'config' | 'keyRing' | 'runtimes' | 'sourceControl' | 'log'>;
/** The input of a new session, with its origin if that is not the API. */
type NewSession = CreateSession & {
  origin?: 'mcp' | 'automation' | 'review';
  automation_id?: string;
  automation_run_id?: string;
  skills_within?: readonly string[];
  fork?: Fork;
};

/** The state that a new session takes over from the one that it is forked from. */
export interface Fork {
  /** The id of the new session, whose checkpoints are stored already. */
  readonly id: string;
  readonly from: string;
  /** The event that its agent knows the log up to, if it has no memory of the conversation. */
  readonly at: number;
  /** True if it waits for its first message. */
  readonly waits: boolean;
  readonly turn: number;
  readonly round: number;
  /** The repositories with the commits that the work started from. */
  readonly bases: readonly StoredRepository[];
  /** Records the checkpoints and the agent's memory. */
  keep(trx: Transaction<DB>): Promise<void>;
}
/** Called first in the transaction that creates a session; throws if it must not be created after all. */
export type Begin = (trx: Transaction<DB>, sessionId: string) => Promise<void>;

/**
 * Creates a session and queues it, in one transaction. Throws 400 `prompt_required`, `tag_not_allowed`, `invalid_request`,
 * 403 `forbidden`, `guardrail_blocked`, 404 `repository_not_found`, `change_request_not_found`, `agent_not_found`, 402
 * `budget_exceeded`, 409 `change_request_closed`, `conflict`.
 */
export async function createSession(ctx: CreateContext, caller: Caller, asked: NewSession, begin?: Begin) {
  return recordingBlocks(ctx, caller, () => create(ctx, caller, asked, begin));
}

async function create(ctx: CreateContext, caller: Caller, asked: NewSession, begin: Begin | undefined) {
  const { prompt } = asked;
  if (isBlank(prompt))
    throw fieldError('/prompt', 'must describe the task and must not be blank.', { code: 'prompt_required' });
  await requireOutputSchema(asked);
  const orgId = caller.organization.id;
  const parent = await parentOf(ctx, caller);
  const input: NewSession = parent === undefined ? asked : withinParent(parent, await givenIds(ctx, parent.id), asked);
  if (asked.fork === undefined) requireSource(asked);
  if (input.require_plan_approval === true && input.mode === 'ask')
    throw fieldError('/require_plan_approval', ': a session in mode "ask" only answers, so it has no plan to approve.');
  const { agent, model, tags, warning, defaults } = await chooseBySettings(ctx, caller, input);
  const { fork } = input;
  const found = await chooseRepositories(ctx, caller, input, parent);
  const repositories = fork === undefined ? found : [...fork.bases];
  if (parent !== undefined) requireParentsModel(parent, model);
  const repositoryIds = repositories.map((repository) => repository.repository_id);
  const now = ctx.clock.now();
  const id = fork?.id ?? newId('ses', now.getTime());
  const account = accountOf(caller, parent);
  const secrets = await prepareSessionSecrets(ctx, caller, { ...input, sessionId: id, repositoryIds, account });
  const guarded = await guardrailsOf(ctx.db.kysely, orgId, repositories);
  const allowed = underGuardrails(guarded, originOf(asked, parent), input);
  const settled = { ...allowed, model, tags, secret_ids: secrets.secretIds };
  const attachmentIds = [...new Set(input.attachment_ids)];
  await requireParts(ctx, caller, { asked, input, parent, repositoryIds, attachmentIds, secrets });
  return mutate(ctx, caller, async (trx, audit) => {
    await begin?.(trx, id);
    const continued = await continueChangeRequests(ctx, trx, caller, settled, repositories, id);
    const wanted = parent === undefined ? input.budget : await addChild(trx, parent, input.budget ?? {}, id);
    const budget = budgetWithin(defaults, budgetUnder(guarded, wanted ?? {}));
    const { person_id: personId, in_groups } = await insertSession(trx, {
      id,
      ...rowOf(caller, { ...settled, budget }, agent, repositories, { ...defaults, parent }),
      ...forkedRow(fork),
      created_at: now,
      updated_at: now,
    });
    await fork?.keep(trx);
    await admitCreation(trx, { id, orgId, maxCostUsd: budget.max_cost_usd }, guarded, now);
    await requireBudget(trx, orgId, now, defaults.budgets);
    if (in_groups) await requireAdmission(trx, { id, orgId, personId }, now, { isNew: true });
    await secrets.keep(trx);
    const events = [...tagWarning(warning), ...repositoryWarning(asked, parent), ...continued];
    await beginLog(trx, caller, { id, prompt, attachmentIds, events, now, waits: fork?.waits === true });
    audit({
      action: 'session.create',
      resource: { type: 'session', id },
      changes: { agent_id: agent.id, repositories: repositories.map(({ repo }) => repo), ...forkedFrom(fork) },
      data: { repository_ids: repositoryIds },
    });
    return sessionIn(ctx, caller, trx, id);
  });
}

interface Parts {
  asked: NewSession;
  /** The same within its parent. */
  input: NewSession;
  parent: SessionRow | undefined;
  repositoryIds: readonly string[];
  attachmentIds: string[];
  secrets: Awaited<ReturnType<typeof prepareSessionSecrets>>;
}

/** Checks that the caller may use everything that the session is to get, and that there is room for its work. */
async function requireParts(
  ctx: CreateContext,
  caller: Caller,
  { asked, input, parent, repositoryIds, attachmentIds, secrets }: Parts,
): Promise<void> {
  if (parent !== undefined) await requireParentsFiles(ctx, parent, attachmentIds);
  await requireAttachments(ctx, caller.organization.id, attachmentIds);
  // Content from the parent was checked when the parent started; what was deleted since is omitted.
  await requireNotes(ctx, caller, asked.knowledge_ids ?? [], accountOf(caller, parent));
  await requireSkills(ctx, caller, asked.skill_ids ?? []);
  await requireServers(ctx, caller, asked.mcp_server_ids, repositoryIds);
  if (parent === undefined) await refuseOthersPrograms(ctx, caller, { input, repositoryIds, secrets });
  await requireStorage(ctx, ctx.db.kysely, caller.organization.id);
}

function forkedFrom(fork: Fork | undefined): { forked_from?: string } {
  return fork === undefined ? {} : { forked_from: fork.from };
}

function forkedRow(fork: Fork | undefined) {
  if (fork === undefined) return {};
  const { turn, round, waits } = fork;
  return { ...forkedFrom(fork), turn, round, turn_ended: true, ...(waits ? waiting : {}) };
}

/** Applies the organization's settings to the requested and the omitted fields. */
async function chooseBySettings(ctx: CreateContext, caller: Actor, input: NewSession) {
  const orgId = caller.organization.id;
  const wanted = ['run_tags', 'sessions', 'source_control', 'models', 'budgets'] as const;
  const settings = await settingsReader(ctx.db.kysely, orgId, wanted);
  const ofSession = { sessions: settings('sessions'), budgets: settings('budgets') };
  const defaults = { ...ofSession, source_control: settings('source_control') };
  const policy = settings('run_tags');
  const tags = (input.tags ?? []).length === 0 ? policy.default : (input.tags ?? []);
  const warning = checkTags(policy, tags);
  const agent = await agentForSession(ctx, orgId, input.agent_id, defaults.sessions.default_agent);
  const problem = await runtimeProblem(ctx, agent);
  if (problem !== '') throw fieldError('/agent_id', `: ${problem}`);
  const { modes } = agentDriver(agent.runtime).capabilities;
  if (!modes.includes(input.mode ?? 'build'))
    throw fieldError(
      '/mode',
      `: an agent of the runtime "${agent.runtime}" supports only the mode ${modes.map((mode) => `"${mode}"`).join(' or ')}.`,
    );
  const models = modelsIn(ctx.config.models, settings('models'));
  const model = await chooseModel(ctx, caller, models, { model: input.model ?? '', agent });
  return { agent, model, tags, warning, defaults };
}

function rowOf(
  { organization, principal }: Actor,
  input: NewSession,
  agent: Awaited<ReturnType<typeof agentForSession>>,
  repositories: StoredRepository[],
  defaults: {
    sessions: Setting<'sessions'>;
    source_control: Setting<'source_control'>;
    parent: SessionRow | undefined;
  },
) {
  const { parent } = defaults;
  const account = accountOf({ principal }, parent);
  const { prompt } = input;
  const deliver = defaults.source_control.draft_by_default ? 'draft' : 'change_request';
  return {
    org_id: organization.id,
    title: input.title ?? titleOf(prompt),
    prompt,
    agent_id: agent.id,
    agent_version: agent.version,
    model: input.model ?? '',
    mode: input.mode ?? 'build',
    repositories: JSON.stringify(repositories),
    repo_names: repositories.flatMap(({ provider, repo }) => [repo.toLowerCase(), `${provider}:${repo.toLowerCase()}`]),
    tags: input.tags ?? [],
    metadata: JSON.stringify(input.metadata ?? {}),
    origin: originOf(input, parent),
    automation_id: input.automation_id ?? '',
    automation_run_id: input.automation_run_id ?? '',
    parent_session_id: parent?.id ?? '',
    created_by_type: account.type,
    created_by_id: account.id,
    budget: JSON.stringify(input.budget ?? {}),
    verify_command: input.verify_command ?? '',
    deliver: repositories.length === 0 ? 'none' : (input.deliver ?? deliver),
    memory_enabled: input.memory_enabled ?? defaults.sessions.memory_default,
    options: JSON.stringify({ ...optionsOf(input), ...(input.fork && { forked_at: input.fork.at }) }),
  } as const;
}

function originOf({ origin }: Pick<NewSession, 'origin'>, parent: SessionRow | undefined): SessionRow['origin'] {
  return parent === undefined ? (origin ?? 'api') : 'session';
}

/** Returns the owner of a new session; a child belongs to the creator of the tree's root. */
function accountOf({ principal }: Pick<Actor, 'principal'>, parent: SessionRow | undefined) {
  const { type, id } = principal;
  return parent === undefined ? { type, id } : { type: parent.created_by_type, id: parent.created_by_id };
}

/** Returns the first line of the prompt, truncated at a word. */
function titleOf(prompt: string): string {
  const line = oneLine(prompt.trim().split('\n', 1)[0] ?? '');
  if (line.length <= 80) return line;
  // Drops half of a surrogate pair.
  const beginning = line.slice(0, 79).replace(/[\uD800-\uDBFF]$/, '');
  return `${beginning.replace(/\s\S*$/, '').trimEnd()}…`;
}

function optionsOf(input: NewSession): Record<string, unknown> {
  const { require_plan_approval, knowledge_ids, secret_ids, skill_ids, skills_within, mcp_server_ids } = input;
  const { structured_output_schema, structured_output_required } = input;
  const options = {
    require_plan_approval,
    knowledge_ids,
    secret_ids,
    skill_ids,
    skills_within,
    mcp_server_ids,
    structured_output_schema,
    structured_output_required,
  };
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
