import type { Actor } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import type { Transaction } from 'kysely';
import type { DB } from '../../db/types.ts';
import { filterValues } from '../../lib/filters.ts';
import type { Scope } from '../../lib/scopes.ts';
import { foundTypes, type FoundType } from './schemas.ts';
import { amongAll, amongNewest, parseQuery, preferIndexes, readFound, type Place } from './store.ts';

const scopeOf: Readonly<Record<FoundType, Scope>> = {
  session: 'sessions:read',
  change_request: 'repos:read',
  repository: 'repos:read',
  note: 'knowledge:read',
  automation: 'sessions:read',
  member: 'org:read',
};
const mostOfEach = 10;

/** Finds what has every word of `q`, or a word that begins so, among the types that the caller may read. */
export async function search(ctx: Pick<Context, 'db'>, caller: Actor, query: { q: string; types?: string }) {
  const wanted = filterValues('types', query.types, foundTypes);
  const types = foundTypes
    .filter((type) => wanted.length === 0 || wanted.includes(type))
    .filter((type) => caller.scopes.has(scopeOf[type]));
  const { organization, principal } = caller;
  const items = await ctx.db.transaction(async (trx) => {
    await preferIndexes(trx);
    const found = [];
    for (const type of types) {
      const owner = type === 'note' && principal.type === 'user' ? principal.id : '';
      found.push(...(await findOf(trx, { orgId: organization.id, type, owner }, query.q)));
    }
    return found;
  });
  return { items };
}

async function findOf(trx: Transaction<DB>, place: Place, text: string) {
  const query = await parseQuery(trx, place, text);
  if (query === undefined) return [];
  const recent = await amongNewest(place, query, mostOfEach).execute(trx);
  const rows =
    recent.rows.length < mostOfEach ? (await amongAll(place, query, mostOfEach).execute(trx)).rows : recent.rows;
  const found = await readFound(
    trx,
    place,
    rows.map(({ id }) => id),
  );
  return found.map((row) => ({ type: place.type, ...row }));
}
