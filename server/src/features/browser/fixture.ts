import { newId } from '../../lib/ids.ts';
import { defineFixture, madeIn } from '../../../test/support/fixture.ts';

export const fixture = defineFixture({
  after: ['members'],
  /** Creates the row of a browser session, in a worker that does not run. */
  async make({ api, orgId, values }) {
    const id = newId('brs');
    await api.ctx.db.pool.query(
      `insert into workers (id, host, slots, draining, seen_at) values ('elsewhere', '', 0, true, now() + interval '1 day')
       on conflict do nothing`,
    );
    await api.ctx.db.pool.query(
      `insert into browser_sessions (id, org_id, worker, created_by_type, created_by_id, created_at, expires_at, opened_at)
       values ($1, $2, 'elsewhere', 'user', $3, now(), now() + interval '1 day', now())`,
      [id, orgId, madeIn({ values }, 'members/{userId}')],
    );
    return { 'browser/sessions/{id}': id };
  },
});
