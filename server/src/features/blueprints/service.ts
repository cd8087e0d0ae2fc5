import type { Actor } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { integerIn } from '../../lib/cursor.ts';
import { notFound } from '../../lib/errors.ts';
import { fieldError } from '../../lib/field-error.ts';
import { pace } from '../../lib/pace.ts';
import { paginate, type PageQuery } from '../../lib/paging.ts';
import { agentVersions, listAgents, type VersionRange } from '../agents/service.ts';
import { enabledNotes } from '../knowledge/public.ts';
import { serverManifests } from '../mcp-servers/public.ts';
import { settingsOf } from '../settings/service.ts';
import { enabledSkills } from '../skills/public.ts';
import { differences } from './diff.ts';
import { agentIdOf, blueprintOf, digestOf, ordered, type AgentVersion, type Shared } from './manifest.ts';
import { redact } from './redact.ts';
import type { DiffBlueprints } from './schemas.ts';

type BlueprintContext = Pick<Context, 'db' | 'clock'>;
type Blueprint = ReturnType<typeof blueprintOf>;

/** Lists one blueprint per agent, at its newest version. */
export async function listBlueprints(ctx: BlueprintContext, caller: Actor, query: PageQuery) {
  const shared = await sharedOf(ctx, caller);
  const page = await listAgents(ctx, caller, query);
  const items = await blueprintsOf(
    page.items.map((agent) => ({ ...agent, created_at: agent.updated_at })),
    shared,
  );
  return { ...page, items };
}

/** Returns the newest version by default. Throws 404 `blueprint_not_found`. */
export async function getBlueprint(ctx: BlueprintContext, caller: Actor, id: string, version?: number) {
  const [row] = await versionsOf(ctx, caller, id, { at: version, limit: 1 });
  if (row === undefined) throw notFound('blueprint', id);
  return row;
}

export async function listBlueprintVersions(ctx: BlueprintContext, caller: Actor, id: string, query: PageQuery) {
  const newest = await getBlueprint(ctx, caller, id);
  const page = await paginate({
    list: 'blueprint_versions',
    filters: { id, orgId: caller.organization.id },
    query,
    rows: (after, limit) => versionsOf(ctx, caller, id, { after: integerIn(after), limit }),
    // Versions are numbered from 1 without gaps.
    total: async () => newest.version,
    position: ({ version }) => String(version),
  });
  return page;
}

/** Returns every agent's blueprint, newest first. */
export async function exportBlueprints(ctx: BlueprintContext, caller: Actor) {
  const items: Blueprint[] = [];
  for (let after: string | undefined; ;) {
    const page = await listBlueprints(ctx, caller, { first: 200, after });
    items.push(...page.items);
    if (!page.has_next_page) return { items, total: items.length };
    after = page.end_cursor;
  }
}

/** Returns the changes that turn one manifest into another. Credentials in a given manifest are redacted. */
export async function diffBlueprints(ctx: BlueprintContext, caller: Actor, { from, to }: DiffBlueprints) {
  checkTarget(to);
  const before = await getBlueprint(ctx, caller, from.id, from.version);
  const after = await manifestOf(ctx, caller, to);
  const changes = differences(before.manifest, after);
  return { identical: changes.length === 0, from_digest: before.digest, to_digest: digestOf(after), changes };
}

function checkTarget({ id, version, manifest }: DiffBlueprints['to']): void {
  if ((id === undefined) === (manifest === undefined) || (id === undefined && version !== undefined))
    throw fieldError('/to', 'must have either an id, optionally with a version, or a manifest.');
}

async function manifestOf(ctx: BlueprintContext, caller: Actor, to: DiffBlueprints['to']): Promise<object> {
  const { id, version, manifest } = to;
  if (id !== undefined) return (await getBlueprint(ctx, caller, id, version)).manifest;
  const { model, system_prompt, max_tokens, temperature, tools, ...rest } = manifest ?? {};
  const { mcp_servers, skills, knowledge, sandbox, ...unknown } = rest;
  const first = { model, system_prompt, max_tokens, temperature, tools, mcp_servers, skills, knowledge, sandbox };
  const known = Object.entries({ ...first, ...unknown }).filter(([, value]) => value !== undefined);
  const sorted = known.map(([key, value]) => [key, ordered(value)]);
  return Object(redact(Object.fromEntries(sorted), '', []));
}

async function versionsOf(ctx: BlueprintContext, caller: Actor, id: string, range: VersionRange): Promise<Blueprint[]> {
  const shared = await sharedOf(ctx, caller);
  const rows = await agentVersions(ctx, caller.organization.id, agentIdOf(id), range);
  return blueprintsOf(rows, shared);
}

/** Yields between agents: the search for credentials may take long. */
async function blueprintsOf(agents: readonly AgentVersion[], shared: Shared): Promise<Blueprint[]> {
  const items: Blueprint[] = [];
  for (const agent of agents) {
    await pace();
    items.push(blueprintOf(agent, shared));
  }
  return items;
}

async function sharedOf(ctx: BlueprintContext, { organization }: Actor): Promise<Shared> {
  const { kysely: db } = ctx.db;
  const [sandbox, servers, skills, notes] = await Promise.all([
    settingsOf(db, organization.id, 'sandbox'),
    serverManifests(db, organization.id),
    enabledSkills(ctx, organization.id),
    enabledNotes(ctx, organization.id),
  ]);
  return { sandbox, servers, skills, notes };
}
