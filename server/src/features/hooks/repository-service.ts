import type { Transaction } from 'kysely';
import type { HostEvent } from '../../adapters/source-control/collaboration.ts';
import type { ConnectionRef } from '../../adapters/source-control/port.ts';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import type { Provider } from '../../lib/providers.ts';
import { recordSystemAct } from '../../mutation/mutate.ts';
import { repositoriesOfConnection, updateRepositoryRow } from '../repositories/public.ts';

type Rename = Extract<HostEvent, { type: 'repository' }>;

/** Returns the repository of a connection with a name; undefined if the organization has not connected it. */
export async function repositoryAt(trx: Transaction<DB>, { orgId, connectionId }: ConnectionRef, repo: string) {
  const [found] = await repositoriesOfConnection(trx, orgId, connectionId, [repo]);
  return found;
}

/** Returns the renames among events that the host confirms: the connection reaches the repository by its new name. */
export async function findRenamed(
  ctx: Pick<Context, 'db' | 'sourceControl'>,
  provider: Provider,
  places: readonly ConnectionRef[],
  events: readonly HostEvent[],
): Promise<{ place: ConnectionRef; rename: Rename }[]> {
  const confirmed: { place: ConnectionRef; rename: Rename }[] = [];
  for (const place of places)
    for (const event of events) {
      const { orgId, connectionId } = place;
      if (event.type !== 'repository' || event.newRepo === '') continue;
      const [known] = await repositoriesOfConnection(ctx.db.kysely, orgId, connectionId, [event.repo]);
      if (known === undefined) continue;
      const ref = { orgId, connectionId, id: known.id, repo: event.newRepo };
      if ((await ctx.sourceControl.of(provider).find(ref)) !== undefined) confirmed.push({ place, rename: event });
    }
  return confirmed;
}

/** Gives a repository the name that it has at its host, unless the organization has another one of that name. */
export async function renameRepository(
  ctx: Pick<Context, 'clock'>,
  trx: Transaction<DB>,
  place: ConnectionRef,
  { repo, newRepo }: Rename,
): Promise<void> {
  const known = await repositoryAt(trx, place, repo);
  if (known === undefined || (await repositoryAt(trx, place, newRepo)) !== undefined) return;
  const now = ctx.clock.now();
  await updateRepositoryRow(trx, place.orgId, known.id, { repo: newRepo, updated_at: now });
  const resource = { type: 'repository', id: known.id };
  const fact = { action: 'repository.update', resource, changes: { repo: newRepo } } as const;
  await recordSystemAct(trx, place.orgId, 'the git host', fact, now);
}
