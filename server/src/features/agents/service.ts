import { isDeepStrictEqual } from 'node:util';
import type { Transaction } from 'kysely';
import { agentDriver, defaultRuntime, type Runtime } from '../../adapters/agent/drivers.ts';
import type { Actor, Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { countRows } from '../../db/count.ts';
import type { DB } from '../../db/types.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { FieldError } from '../../lib/field-error.ts';
import { newId } from '../../lib/ids.ts';
import { paginate, type PageQuery } from '../../lib/paging.ts';
import { mutate } from '../../mutation/mutate.ts';
import { requireMatch } from '../../mutation/precondition.ts';
import { modelProblem } from '../models/service.ts';
import { modelsIn, problemOfProvider, problemOfUse } from '../settings/models.ts';
import { settingsOf } from '../settings/service.ts';
import type { CreateAgent, UpdateAgent } from './schemas.ts';
import {
  agentsQuery,
  insertAgent,
  insertAgentVersion,
  listAgentRows,
  listAgentVersionRows,
  lockAgent,
  markAgentDeleted,
  readAgent,
  readAgentNamed,
  readAgentVersion,
  readDefaultAgent,
  type VersionRange,
} from './store.ts';

export type { VersionRange };

type AgentContext = Pick<Context, 'db' | 'clock'>;
type ModelContext = Pick<Context, 'config'>;

export async function listAgents(ctx: AgentContext, caller: Actor, query: PageQuery & { search?: string }) {
  const { search } = query;
  const rows = agentsQuery(ctx.db.kysely, caller.organization.id, search);
  return paginate({
    list: 'agents',
    filters: { orgId: caller.organization.id, search },
    query,
    rows: (after, limit) => listAgentRows(rows, after, limit),
    total: () => countRows(ctx.db, rows),
  });
}

export async function getAgent(ctx: AgentContext, caller: Actor, id: string) {
  const agent = await readAgent(ctx.db.kysely, caller.organization.id, id);
  if (agent === undefined) throw notFound('agent', id);
  return agent;
}

export async function createAgent(ctx: AgentContext & ModelContext, caller: Caller, input: CreateAgent) {
  const orgId = caller.organization.id;
  const runtime = input.runtime ?? defaultRuntime;
  checkConfig(runtime, input.runtime_config ?? {});
  await checkModel(ctx, orgId, input.model);
  return mutate(ctx, caller, async (trx, audit) => {
    const now = ctx.clock.now();
    const id = newId('agt', now.getTime());
    await insertAgent(
      trx,
      { id, org_id: orgId, name: input.name, is_default: false, created_at: now, updated_at: now },
      {
        description: input.description ?? '',
        system_prompt: input.system_prompt ?? '',
        model: input.model ?? '',
        max_tokens: input.max_tokens ?? null,
        temperature: input.temperature ?? null,
        runtime,
        runtime_config: JSON.stringify(input.runtime_config ?? {}),
      },
    );
    audit({ action: 'agent.create', resource: { type: 'agent', id }, changes: { name: input.name, runtime } });
    return readBack(trx, orgId, id);
  });
}

/** Updates the given fields as a new version; running sessions keep theirs. */
export async function updateAgent(ctx: AgentContext & ModelContext, caller: Caller, id: string, input: UpdateAgent) {
  const orgId = caller.organization.id;
  const changes = knownFields(input);
  await checkModel(ctx, orgId, input.model);
  return mutate(ctx, caller, async (trx, audit) => {
    await lockAgent(trx, orgId, id);
    const before = await readAgent(trx, orgId, id);
    if (before === undefined) throw notFound('agent', id);
    await requireMatch(caller, () => before);
    const after = { ...before, ...changes };
    checkConfig(after.runtime, after.runtime_config);
    await insertAgentVersion(
      trx,
      { id, name: after.name, version: before.version + 1, now: ctx.clock.now() },
      {
        description: after.description,
        system_prompt: after.system_prompt,
        model: after.model,
        max_tokens: after.max_tokens,
        temperature: after.temperature,
        runtime: after.runtime,
        runtime_config: JSON.stringify(after.runtime_config),
      },
    );
    audit({
      action: 'agent.update',
      resource: { type: 'agent', id },
      changes: { name: after.name, fields: Object.keys(changes) },
    });
    return readBack(trx, orgId, id);
  });
}

/** Deletes an agent; running sessions finish. Throws 409 `conflict` for the agent that every organization keeps. */
export async function deleteAgent(ctx: AgentContext, caller: Caller, id: string): Promise<null> {
  return mutate(ctx, caller, async (trx, audit) => {
    await lockAgent(trx, caller.organization.id, id);
    const agent = await readAgent(trx, caller.organization.id, id);
    if (agent === undefined) throw notFound('agent', id);
    await requireMatch(caller, () => agent);
    if (agent.is_default) throw new AppError('conflict', 'The builtin agent of an organization cannot be deleted.');
    if (!(await markAgentDeleted(trx, id, ctx.clock.now()))) throw notFound('agent', id);
    audit({ action: 'agent.delete', resource: { type: 'agent', id } });
    return null;
  });
}

/** Lists the runtimes that can run an agent here, and why the caller's organization has no model. */
export async function listAgentRuntimes(
  ctx: Pick<Context, 'db' | 'clock' | 'config' | 'keyRing' | 'runtimes'>,
  caller: Actor,
) {
  return { items: await ctx.runtimes(await modelProblem(ctx, caller.organization.id)) };
}

/** Returns why no worker can run an agent, as a sentence that says what to do; `''` if one can. */
export async function runtimeProblem(
  ctx: Pick<Context, 'runtimes'>,
  { runtime, runtime_config }: { runtime: Runtime; runtime_config: unknown },
): Promise<string> {
  const ways = (await ctx.runtimes('')).filter((way) => way.runtime === runtime);
  if (ways.some(({ installed }) => installed)) return '';
  const way = ways.find(({ id }) => id === Object(runtime_config).preset) ?? ways[0];
  return `The agent's runtime "${runtime}" cannot run here. ${way?.problem ?? ''}`.trim();
}

/** Creates the agent named `builtin` that every organization has from the start. */
export async function createDefaultAgent(trx: Transaction<DB>, orgId: string, now: Date): Promise<void> {
  await insertAgent(
    trx,
    {
      id: newId('agt', now.getTime()),
      org_id: orgId,
      name: 'builtin',
      is_default: true,
      created_at: now,
      updated_at: now,
    },
    {
      description: 'The built-in agent of Guildhall.',
      system_prompt: '',
      model: '',
      max_tokens: null,
      temperature: null,
      runtime: defaultRuntime,
      runtime_config: '{}',
    },
  );
}

/**
 * Returns the id of the agent with a name and a description, which the platform keeps current: creates it, or gives it another
 * version. The caller prevents that two do it at once.
 */
export async function ensureAgent(
  trx: Transaction<DB>,
  orgId: string,
  {
    name,
    description,
    runtime,
    runtime_config,
  }: { name: string; description: string; runtime: Runtime; runtime_config: object },
  now: Date,
): Promise<string> {
  const version = {
    description,
    system_prompt: '',
    model: '',
    max_tokens: null,
    temperature: null,
    runtime,
    runtime_config: JSON.stringify(runtime_config),
  };
  const found = await readAgentNamed(trx, orgId, name, description);
  if (found === undefined) {
    const id = newId('agt', now.getTime());
    await insertAgent(trx, { id, org_id: orgId, name, is_default: false, created_at: now, updated_at: now }, version);
    return id;
  }
  if (!isDeepStrictEqual(found.runtime_config, runtime_config))
    await insertAgentVersion(trx, { id: found.id, name, version: found.version + 1, now }, version);
  return found.id;
}

/**
 * Returns the agent of a new session: the requested one, or else the one in the settings, or else the organization's
 * `builtin`, which also replaces a deleted default. Throws 404 `agent_not_found`.
 */
export async function agentForSession(
  ctx: Pick<Context, 'db'>,
  orgId: string,
  id: string | undefined,
  byDefault: string,
) {
  const db = ctx.db.kysely;
  const isNamed = id !== undefined && id !== '';
  const wanted = isNamed ? id : byDefault;
  const found = wanted === '' ? undefined : await readAgent(db, orgId, wanted);
  const agent = found ?? (isNamed ? undefined : await readDefaultAgent(db, orgId));
  if (agent === undefined) throw notFound('agent', wanted);
  return agent;
}

/** Returns the version that a session runs with. */
export async function agentVersion(ctx: Pick<Context, 'db'>, orgId: string, id: string, version: number) {
  return readAgentVersion(ctx.db.kysely, orgId, id, version);
}

/**
 * Returns the versions of an agent, newest first: up to `limit` before the version `after`; none if it does not exist.
 */
export async function agentVersions(ctx: Pick<Context, 'db'>, orgId: string, id: string, range: VersionRange) {
  return listAgentVersionRows(ctx.db.kysely, orgId, id, range);
}

async function readBack(trx: Transaction<DB>, orgId: string, id: string) {
  const agent = await readAgent(trx, orgId, id);
  if (agent === undefined) throw notFound('agent', id);
  return agent;
}

function knownFields(input: UpdateAgent): UpdateAgent {
  const { name, description, system_prompt, model, max_tokens, temperature, runtime, runtime_config } = input;
  const all = { name, description, system_prompt, model, max_tokens, temperature, runtime, runtime_config };
  const named = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  if (Object.keys(named).length > 0) return named;
  const message = `must name at least one of ${Object.keys(all).join(', ')}`;
  throw new FieldError([{ path: '', keyword: 'minProperties', params: { limit: 1 }, message }]);
}

/**
 * Throws 422 for a model that the organization does not allow, or whose provider is not configured; `''` is the
 * default.
 */
async function checkModel(
  ctx: Pick<Context, 'db'> & ModelContext,
  orgId: string,
  model: string | undefined,
): Promise<void> {
  if (model === undefined || model === '') return;
  const models = modelsIn(ctx.config.models, await settingsOf(ctx.db.kysely, orgId, 'models'));
  const unknown = problemOfProvider(ctx.config, models, model);
  const message = unknown === '' ? problemOfUse(models, model) : unknown.replace(/\.$/, '');
  if (message === '') return;
  const params =
    unknown === ''
      ? { allowed: models.allowed.slice(0, 100) }
      : { providers: models.providers.map(({ name }) => name) };
  throw new FieldError([{ path: '/model', keyword: 'enum', params, message }]);
}

function checkConfig(runtime: Runtime, config: Record<string, unknown>): void {
  const problems = agentDriver(runtime).problemsOfConfig(config);
  if (problems.length === 0) return;
  throw new FieldError(problems.map(({ path, message }) => ({ path: `/runtime_config${path}`, message })));
}
