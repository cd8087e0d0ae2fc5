import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRuntimeFixture, type RuntimeFixture } from '../../../../test/support/sessions.ts';

let fixture: RuntimeFixture;
beforeAll(async () => {
  fixture = await createRuntimeFixture();
  await fixture.startWorker({ slots: 2 });
});
afterAll(() => fixture.close());

/** A program in the sandbox that uses the API: identifies itself, starts a child, follows it, tries another session. */
const program = (strangerId: string) => `
  const call = async (path, body) => {
    const answer = await fetch(process.env.GUILDHALL_URL + path, body && {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
    return [answer.status, await answer.json()];
  };
  const [, self] = await call('/v3/self');
  const sessions = '/v3/organizations/' + self.organization.id + '/sessions';
  const own = sessions + '/' + process.env.GUILDHALL_SESSION_ID;
  const [created, child] = await call(sessions, { prompt: 'Help.', agent_id: process.argv[2] });
  let state = child;
  while (!['completed', 'failed', 'canceled'].includes(state.status)) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    [, state] = await call(sessions + '/' + child.id);
  }
  const [, children] = await call(own + '/children');
  const statuses = [];
  for (const path of [own, sessions + '/${strangerId}', sessions, '/v3/self/keys']) statuses.push((await call(path))[0]);
  console.log('REPORT ' + JSON.stringify({
    type: self.principal_type, me: self.principal_id, created, child: child.id, ended: state.status,
    children: children.items.map((item) => item.id), statuses }));
  console.log('KEYS ' + JSON.stringify(process.env).includes('guild_'));
`;

test('a program in a sandbox starts a child and follows it, and sees no key', async () => {
  const agentOf = async (steps: object[]): Promise<string> => {
    const runtime_config = { steps, summary: '' };
    const { json } = await fixture.api.call('POST', '/agents', {
      body: { name: 'a', runtime: 'script', runtime_config },
    });
    return String(json['id']);
  };
  const helper = await agentOf([{ run: 'true' }]);
  const stranger = await fixture.create({ agent_id: helper });
  const code = Buffer.from(program(stranger.id)).toString('base64');
  const run = `echo ${code} | base64 -d > /tmp/p.mjs && node /tmp/p.mjs ${helper}`;
  const session = await fixture.run({ agent_id: await agentOf([{ run }]) });
  expect(session).toMatchObject({ status: 'completed', error: null });

  const log = (await fixture.events(session.id))
    .filter(({ kind }) => kind === 'output')
    .map(({ data }) => data['text']);
  const [, report = '{}'] = /REPORT (.*)/.exec(log.join('')) ?? [];
  const told: Record<string, unknown> = JSON.parse(report);
  expect(told).toEqual({
    type: 'session',
    me: session.id,
    created: 201,
    child: expect.stringMatching(/^ses_/),
    ended: 'completed',
    children: [told['child']],
    statuses: [200, 404, 403, 403],
  });
  expect(log.join('')).toContain('KEYS false');
  const child = await fixture.api.call('GET', `/v3/organizations/default/sessions/${String(told['child'])}`);
  expect(child.json).toMatchObject({ parent_session_id: session.id, origin: 'session', created_by: { type: 'user' } });

  const { rows } = await fixture.api.ctx.db.pool.query<{ ended: boolean }>(
    "select revoked_at is not null as ended from api_keys where principal_type = 'session' and principal_id = $1",
    [session.id],
  );
  expect(rows).toEqual([{ ended: true }]);
});
