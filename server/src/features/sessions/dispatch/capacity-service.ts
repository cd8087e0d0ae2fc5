import type { Kysely } from 'kysely';
import type { DB } from '../../../db/types.ts';
import { roleOf } from '../../roles/service.ts';
import { settingsOf } from '../../settings/service.ts';
import { countDispatched } from '../store/dispatch-store.ts';

/** The number of sessions that may run at once; 0 is no limit. */
interface Concurrency {
  /** Of the organization. */
  most: number;
  /** Of the user. */
  mostOwn: number;
}

/** Returns the limits on sessions that run at once, for a user; `personId` is `''` for any other principal. */
export async function concurrencyOf(db: Kysely<DB>, orgId: string, personId: string): Promise<Concurrency> {
  const { max_concurrent: most, max_concurrent_regular: mostRegular } = await settingsOf(db, orgId, 'sessions');
  const isRegular = mostRegular > 0 && personId !== '' && (await roleOf(db, orgId, personId)) !== 'pro';
  return { most, mostOwn: isRegular ? mostRegular : 0 };
}

/** Returns these limits with the number of sessions that run now. */
export async function runningOf(db: Kysely<DB>, orgId: string, personId: string) {
  const { most, mostOwn } = await concurrencyOf(db, orgId, personId);
  return {
    max_concurrent: most,
    running: await countDispatched(db, orgId),
    max_concurrent_own: mostOwn,
    running_own: personId === '' ? 0 : await countDispatched(db, orgId, personId),
  };
}
