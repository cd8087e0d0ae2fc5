import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TalkingHost } from '../../../test/hosts/talking.ts';
import { talkingHosts } from '../../../test/hosts/talking-hosts.ts';
import { createGitUser, type GitUser } from '../../../test/support/git.ts';
import { createRuntimeFixture, type RuntimeFixture } from '../../../test/support/sessions.ts';
import { lookAtChangeRequest } from './look-service.ts';

const organization = '/v3/organizations/default';

/** The script agent acts on what it was told. */
const step = String.raw`
if grep -q 'Fail, please' "$GUILDHALL_PROMPT_FILE"; then exit 3
elif grep -q 'Checks of your change request' "$GUILDHALL_PROMPT_FILE"; then echo 'exports.price = 42;' > price.js
elif grep -q 'wrote on your change request' "$GUILDHALL_PROMPT_FILE"; then echo 'In cents.' >> README.md
elif grep -q 'conflicts with its base' "$GUILDHALL_PROMPT_FILE"; then
  git -c user.name=a -c user.email=a@b.c commit -qam work || true
  git fetch -q origin main
  git -c user.name=a -c user.email=a@b.c merge -q FETCH_HEAD || true
  echo 'exports.price = 42;' > price.js
  git add -A
  git -c user.name=a -c user.email=a@b.c commit -qm merged
else echo 'exports.price = 41;' > price.js; fi`;

let fixture: RuntimeFixture;
let user: GitUser;
/** The clock is ahead, so that the test need not wait for a quiet minute. */
let aheadMs = 0;
beforeAll(async () => {
  fixture = await createRuntimeFixture({ GUILDHALL_EGRESS_ALLOW: 'git=127.0.0.1/32' });
  user = await createGitUser();
  await fixture.worker();
}, 60_000);
afterAll(async () => {
  await fixture.close();
  await user.close();
});

async function call(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const answer = await fixture.api.call(method, `${organization}${path}`, body === undefined ? {} : { body });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.json;
}

for (const { title, problem, open } of talkingHosts)
  describe.skipIf(problem !== '')(`at ${title}`, () => {
    let host: TalkingHost;
    let orgId: string;
    let repository: string;
    beforeAll(async () => {
      host = await open(user, { 'price.js': 'exports.price = 40;\n' });
      const { provider, url, token, repo } = host;
      const { id: connection_id } = await call('POST', '/git-connections', { provider, host: url, token });
      repository = String((await call('POST', '/repositories', { provider, repo, connection_id }))['id']);
      const { rows } = await fixture.api.ctx.db.pool.query('select org_id from repositories where id = $1', [
        repository,
      ]);
      orgId = String(rows[0]?.org_id);
    }, 240_000);
    afterAll(() => host.close());

    /** Runs a session that opens a change request. */
    async function propose() {
      const { provider, repo } = host;
      const agent = { steps: [{ run: step }], summary: '[1] The price is in cents.' };
      const check = 'grep -q 4[12] price.js';
      const { id, change_requests, repositories } = await fixture.run({
        repositories: [{ provider, repo }],
        agent,
        verify_command: check,
      });
      const number = change_requests[0]?.number ?? 0;
      const branch = repositories[0]?.branch ?? '';
      const path = `/repositories/${repository}/change-requests/${number}`;
      const ctx = { ...fixture.api.ctx, clock: { now: () => new Date(Date.now() + aheadMs) } };
      const look = () => lookAtChangeRequest(ctx, { org_id: orgId, repository_id: repository, number });

      /** Looks as jobs do, two minutes apart, until following has a state. */
      async function follows(...states: string[]): Promise<Record<string, unknown>> {
        return fixture.until(
          async () => {
            await look();
            aheadMs += 120_000;
            const now = await call('GET', `${path}/follow`);
            if (states.includes(String(now['state']))) return now;
            if (now['state'] === 'working') await fixture.reaches(id, 'completed', 'failed');
            return undefined;
          },
          `following is ${states.join(' or ')}`,
        );
      }
      const headOf = async () => (await host.tip(branch)) ?? '';
      return { id, number, branch, path, look, follows, headOf };
    }

    test('a session stays with its change request: red, fixed, a comment answered, green, merged', async () => {
      const { id, number, path, look, follows, headOf } = await propose();
      const { provider } = host;
      const messages = async (): Promise<Record<string, unknown>[]> =>
        Object((await call('GET', `/sessions/${id}/messages`))['items']);

      const first = await headOf();
      await host.status(first, 'failure', 'Error: expected 42 but got 41');
      await follows('working');
      await fixture.reaches(id, 'completed');
      expect((await messages()).at(-1)).toMatchObject({
        created_by: { type: 'provider', id: `${provider}:checks` },
        source: { kind: 'ci', head_sha: first },
        content: expect.stringContaining('expected 42 but got 41'),
      });
      const second = await headOf();
      expect(second).not.toBe(first);
      await host.status(second, 'success', 'Passed.');
      expect(await follows('ready')).toMatchObject({ rounds: 1, fixed: 1, pushes: 1 });

      await host.commentOnLine(number, 'price.js', 'Is the price in cents?');
      await follows('working');
      await fixture.reaches(id, 'completed');
      expect((await messages()).at(-1)).toMatchObject({
        created_by: { type: 'provider', id: `${provider}:grace` },
        content: expect.stringContaining('Is the price in cents?'),
      });
      const third = await headOf();
      await host.status(third, 'success', 'Passed.');
      // A person's thread stays open, so a person decides that it is ready.
      expect(await follows('watching', 'ready')).toMatchObject({ rounds: 2, review_rounds: 1 });
      await follows('watching', 'ready');
      const [[asked, answered = '', ...more] = []] = await host.threads(number);
      expect([asked, more]).toEqual(['Is the price in cents?', []]);
      expect(answered).toContain(`Done in ${third.slice(0, 12)}. The price is in cents.`);

      await host.merge(number);
      expect(await follows('ended')).toMatchObject({ reason: 'It was merged.' });
      expect(await call('GET', path)).toMatchObject({ state: 'merged' });
      expect(await call('GET', `/sessions/${id}`)).toMatchObject({ archived: true });
      await fixture.until(async () => {
        await look();
        return (await headOf()) === '' ? true : undefined;
      }, 'the branch is deleted');
    }, 300_000);

    test('a comment whose round fails is told so where it was, once; another one has it tried again', async () => {
      const { id, number, follows, headOf } = await propose();
      const first = await headOf();
      await host.status(first, 'success', 'Passed.');
      await follows('ready');
      await host.commentOnLine(number, 'price.js', 'Fail, please.');
      expect(await follows('needs_person')).toMatchObject({ review_rounds: 1 });
      await fixture.reaches(id, 'failed');
      await follows('needs_person');
      await follows('needs_person');
      const [[asked, told = '', ...more] = []] = await host.threads(number);
      expect([asked, more]).toEqual(['Fail, please.', []]);
      expect(told).toMatch(/^This was not done: the agent ended with an error\. Comment again /);
      await host.comment('change_request', number, 'grace', 'In cents, please.');
      await follows('working');
      await fixture.reaches(id, 'completed');
      const second = await fixture.until(
        async () => headOf().then((head) => (head === first ? undefined : head)),
        'the next round pushes',
      );
      await host.status(second, 'success', 'Passed.');
      await follows('watching', 'ready');
      expect(
        (await host.texts('change_request', number)).filter((text) => text.includes('The price is in cents.')),
      ).toHaveLength(1);
    }, 300_000);

    test('a conflict: the base branch is merged in, and every commit stays', async () => {
      const { id, branch, path, follows, headOf } = await propose();
      const head = await headOf();
      await host.status(head, 'success', 'Passed.');
      await follows('ready');
      const theirs = await host.commitOn('main', { 'price.js': 'exports.price = 43;\n' });
      await follows('working');
      await fixture.reaches(id, 'completed');
      await host.status(await headOf(), 'success', 'Passed.');
      expect(await follows('ready', 'needs_person')).toMatchObject({ state: 'ready', conflict_rounds: 1, pushes: 1 });
      expect(await call('GET', path)).toMatchObject({ state: 'open', mergeable: true });
      expect(await host.history(branch)).toEqual(expect.arrayContaining([head, theirs]));
    }, 300_000);
  });
