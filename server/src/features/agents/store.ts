import type { Kysely, Transaction, Insertable } from 'kysely';
import { newestFirst } from '../../db/page.ts';
import type { DB } from '../../db/types.ts';
import { containing } from '../../db/pattern.ts';

const shown = [
  'agents.id',
  'agents.name',
  'agents.version',
  'agents.is_default',
  'agents.created_at',
  'agents.updated_at',
  'v.description',
  'v.system_prompt',
  'v.model',
  'v.max_tokens',
  'v.temperature',
  'v.runtime',
  'v.runtime_config',
] as const;

export type AgentVersionRow = Omit<Insertable<DB['agent_versions']>, 'agent_id' | 'version' | 'created_at'>;

/** `search`: a part of the name. */
export function agentsQuery(db: Kysely<DB>, orgId: string, search?: string) {
  return db
    .selectFrom('agents')
    .where('agents.org_id', '=', orgId)
    .where('deleted_at', 'is', null)
    .$if(search !== undefined, (query) => query.where('agents.name', 'ilike', containing(search ?? '')));
}

function withVersion(query: ReturnType<typeof agentsQuery>) {
  return query
    .innerJoin('agent_versions as v', (join) =>
      join.onRef('v.agent_id', '=', 'agents.id').onRef('v.version', '=', 'agents.version'),
    )
    .select(shown)
    .$narrowType<{ runtime_config: Record<string, unknown> }>();
}

export async function listAgentRows(query: ReturnType<typeof agentsQuery>, after: string | undefined, limit: number) {
  return newestFirst(withVersion(query), after, limit).execute();
}

export async function readAgent(db: Kysely<DB>, orgId: string, id: string) {
  return withVersion(agentsQuery(db, orgId)).where('agents.id', '=', id).executeTakeFirst();
}

/** Returns the oldest agent with a name and a description. */
export async function readAgentNamed(db: Kysely<DB>, orgId: string, name: string, description: string) {
  return withVersion(agentsQuery(db, orgId))
    .where('agents.name', '=', name)
    .where('v.description', '=', description)
    .orderBy('agents.id')
    .limit(1)
    .executeTakeFirst();
}

export async function readDefaultAgent(db: Kysely<DB>, orgId: string) {
  return withVersion(agentsQuery(db, orgId)).where('is_default', '=', true).executeTakeFirst();
}

/** Returns one version as a session started with it, even if the agent was changed or deleted since. */
export async function readAgentVersion(db: Kysely<DB>, orgId: string, id: string, version: number) {
  return db
    .selectFrom('agent_versions as v')
    .innerJoin('agents', 'agents.id', 'v.agent_id')
    .select([
      'agents.name',
      'v.system_prompt',
      'v.model',
      'v.max_tokens',
      'v.temperature',
      'v.runtime',
      'v.runtime_config',
    ])
    .where('agents.org_id', '=', orgId)
    .where('v.agent_id', '=', id)
    .where('v.version', '=', version)
    .executeTakeFirst();
}

export async function lockAgent(trx: Transaction<DB>, orgId: string, id: string): Promise<void> {
  await agentsQuery(trx, orgId).select('id').where('id', '=', id).forUpdate().execute();
}

export async function insertAgent(
  trx: Transaction<DB>,
  row: Insertable<DB['agents']>,
  version: AgentVersionRow,
): Promise<void> {
  await trx.insertInto('agents').values(row).execute();
  await trx
    .insertInto('agent_versions')
    .values({ agent_id: row.id, version: 1, created_at: row.created_at, ...version })
    .execute();
}

export async function insertAgentVersion(
  trx: Transaction<DB>,
  agent: { id: string; name: string; version: number; now: Date },
  version: AgentVersionRow,
): Promise<void> {
  const { id, name, now } = agent;
  await trx
    .insertInto('agent_versions')
    .values({ agent_id: id, version: agent.version, created_at: now, ...version })
    .execute();
  await trx.updateTable('agents').set({ name, version: agent.version, updated_at: now }).where('id', '=', id).execute();
}

/** Returns false if it was already deleted. */
export async function markAgentDeleted(trx: Transaction<DB>, id: string, now: Date): Promise<boolean> {
  const result = await trx
    .updateTable('agents')
    .set({ deleted_at: now })
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Selects up to `limit` versions: those before the version `after`, or only `at`. */
export interface VersionRange {
  after?: number | undefined;
  at?: number | undefined;
  limit: number;
}

/** Lists an agent's versions, newest first, with the agent's current name. */
export async function listAgentVersionRows(
  db: Kysely<DB>,
  orgId: string,
  id: string,
  { after, at, limit }: VersionRange,
) {
  return db
    .selectFrom('agent_versions as v')
    .innerJoin('agents', 'agents.id', 'v.agent_id')
    .select(['agents.id', 'agents.name', 'v.description', 'v.version', 'v.created_at'])
    .select(['v.system_prompt', 'v.model', 'v.max_tokens', 'v.temperature', 'v.runtime', 'v.runtime_config'])
    .$narrowType<{ runtime_config: Record<string, unknown> }>()
    .where('agents.org_id', '=', orgId)
    .where('agents.deleted_at', 'is', null)
    .where('v.agent_id', '=', id)
    .$if(after !== undefined, (query) => query.where('v.version', '<', after ?? 0))
    .$if(at !== undefined, (query) => query.where('v.version', '=', at ?? 0))
    .orderBy('v.version', 'desc')
    .limit(limit)
    .execute();
}
