import { newId } from '../../lib/ids.ts';
import { defineFixture } from '../../../test/support/fixture.ts';

export const fixture = defineFixture({
  async make({ api, key, post }) {
    const self = await api.call('GET', '/v3/self', { key });
    const signIn = newId('sgn');
    // It belongs to a user, who may have several organizations: those after the first have the one of somebody else.
    const stranger = newId('usr');
    const { rows } = await api.ctx.db.pool.query(`select from sign_ins where user_agent = 'fixture'`);
    if (rows.length > 0)
      await api.ctx.db.pool.query(`insert into users (id, email, name) values ($1, $1 || '@example.com', 'x')`, [
        stranger,
      ]);
    await api.ctx.db.pool.query(
      `insert into sign_ins (id, user_id, hash, method, ip, user_agent, created_at, last_used_at, expires_at)
       values ($1, $2, $1, 'password', '192.0.2.1', 'fixture', now(), now(), now() + interval '1 day')`,
      [signIn, rows.length > 0 ? stranger : self.json['principal_id']],
    );
    return {
      'v3/self/keys/{keyId}': String((await post('/v3/self/keys', { name: 'x', scopes: ['run'] }))['id']),
      'v3/self/sign-ins/{id}': signIn,
      'v3/self/preferences/{name}': 'theme',
    };
  },
  bodies: { replacePreference: { value: { dark: true } } },
  changes: { replacePreference: { value: { dark: false } } },
});
