import { get, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { prepareData, startServerProcess, temporaryDirectory, type ServerProcess } from './support/server.ts';

const data = temporaryDirectory();
let server: ServerProcess;
let others: { slug: string; key: string };
/** Three quarters of these are for streams, and two thirds of that for those of one organization. */
const files = 400;
const mostOwn = 200;

beforeAll(async () => {
  prepareData(data.path);
  server = await startServerProcess(data.path, ['--role', 'api'], { GUILDHALL_RATE_LIMIT: '0' }, files);
  const { json } = await server.call('POST', '/v3/organizations', { name: 'Others' });
  others = { slug: String(json['slug']), key: String(json['key']) };
}, 60_000);
afterAll(async () => {
  server.process.kill('SIGTERM');
  await server.exited;
  data.remove();
});

/** Opens the stream of an organization; ends it by `destroy`. */
function open(slug: string, key: string): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream' };
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  get(`${server.url}/v3/organizations/${slug}/events/stream`, { headers, agent: false }, resolve).once('error', reject);
  return promise;
}

async function textOf(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part);
  return Buffer.concat(parts).toString();
}

test('an organization that opens streams without end keeps no other, and no request, from the server', async () => {
  const opened: IncomingMessage[] = [];
  for (let count = 0; count < mostOwn; count += 20)
    opened.push(...(await Promise.all(Array.from({ length: 20 }, () => open('default', server.key)))));
  expect(opened.map(({ statusCode }) => statusCode)).toEqual(Array.from({ length: mostOwn }, () => 200));
  const refused = await open('default', server.key);
  expect(refused.statusCode).toBe(503);
  expect(await textOf(refused)).toContain('too many open event streams');
  const theirs = await open(others.slug, others.key);
  expect(theirs.statusCode).toBe(200);
  expect((await server.call('GET', '/v3/self')).status).toBe(200);
  opened[0]?.destroy();
  await expect
    .poll(
      async () => {
        const again = await open('default', server.key);
        again.destroy();
        return again.statusCode;
      },
      { timeout: 20_000 },
    )
    .toBe(200);
  for (const one of [...opened, theirs]) one.destroy();
}, 120_000);
