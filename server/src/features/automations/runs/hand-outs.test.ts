import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../../test/support/api.ts';
import { newAutomation, newRun } from '../../../../test/support/automations.ts';
import { openReceiver, type Receiver } from '../../../../test/support/receiver.ts';
import { startAutomationRuns } from './jobs.ts';

let api: TestApi;
let receiver: Receiver;
beforeAll(async () => {
  api = await startTestApi({ GUILDHALL_EGRESS_ALLOW: 'webhook=127.0.0.1/32' });
  receiver = await openReceiver();
});
afterAll(async () => {
  await api.close();
  await receiver.close();
});

async function sentAutomation(on: string, key: string, name: string) {
  const automation = await newAutomation(api, { name, concurrency: 'parallel', retry: { max_attempts: 1 } }, on, key);
  const path = `${on}/automations/${automation.id}/executor`;
  const { status, text } = await api.call('POST', path, { body: { url: `${receiver.url}?of=${name}` }, key });
  if (status !== 200) throw new Error(text);
  return automation;
}

test('an organization whose receivers are slow keeps no other one waiting for its turn', async () => {
  const busy = await Promise.all(
    ['a', 'b', 'c', 'd'].map((name) => sentAutomation('/v3/organizations/default', api.adminKey, name)),
  );
  const other = await api.createOrganization('Other');
  const quiet = await sentAutomation(`/v3/organizations/${other.slug}`, other.key, 'quiet');
  const release = Promise.withResolvers<void>();
  receiver.answer((response) => void release.promise.then(() => response.writeHead(204).end()));
  const many = 60;
  for (let number = 0; number < many / busy.length; number += 1)
    for (const automation of busy) await newRun(api, automation);
  await newRun(api, quiet);
  startAutomationRuns(api.ctx);
  const places = 32;
  const waiting = async (): Promise<number> =>
    (
      await api.ctx.db.pool.query(
        "select count(*)::int as count from pgboss.job where name = 'automation_hand_out' and state = 'created'",
      )
    ).rows[0].count;
  await expect.poll(waiting, { timeout: 30_000 }).toBe(many + 1 - places);
  release.resolve();
  await expect.poll(() => receiver.received.length, { timeout: 30_000 }).toBe(many + 1);
  const order = receiver.received.map(({ body }) => Object(JSON.parse(body)).data.run.automation_id);
  expect(order.indexOf(quiet.id)).toBeLessThan(places + 5);
}, 120_000);
