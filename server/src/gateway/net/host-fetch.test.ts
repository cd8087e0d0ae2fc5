import { afterAll, beforeAll, expect, test } from 'vitest';
import { openReceiver, type Receiver } from '../../../test/support/receiver.ts';
import { createHostFetch } from './host-fetch.ts';

let receiver: Receiver;
beforeAll(async () => {
  receiver = await openReceiver();
});
afterAll(() => receiver.close());

const own = [{ purpose: 'git' as const, target: '127.0.0.1/32' }];

test('a private host is called only if the operator allows it for git', async () => {
  await expect(createHostFetch({ egressAllow: [] })(receiver.url)).rejects.toMatchObject({
    retryable: false,
    message: expect.stringMatching(/is not public.+GUILDHALL_EGRESS_ALLOW/),
  });
  const other = createHostFetch({ egressAllow: [{ purpose: 'webhook', target: '127.0.0.1/32' }] });
  await expect(other(receiver.url)).rejects.toThrow(/is not public/);
  expect(receiver.received).toEqual([]);
  receiver.answer((response) => void response.writeHead(201, { 'x-one': 'a' }).end('{"a":1}'));
  const response = await createHostFetch({ egressAllow: own })(receiver.url, { method: 'POST', body: 'é' });
  expect([response.status, response.headers.get('x-one'), await response.json()]).toEqual([201, 'a', { a: 1 }]);
  expect(receiver.received.at(-1)).toMatchObject({ body: 'é' });
});

test('a public host is called only over https', async () => {
  const lookup = async () => [{ address: '1.1.1.1', family: 4 }];
  await expect(createHostFetch({ egressAllow: own, lookup })('http://git.example.com/')).rejects.toThrow(/Use https/);
});

test('redirects stay at the origin, and end', async () => {
  const fetch = createHostFetch({ egressAllow: own });
  const before = receiver.received.length;
  receiver.answer((response) => void response.writeHead(301, { location: '/next' }).end());
  await expect(fetch(receiver.url)).rejects.toThrow(/redirects more than 5 times/);
  expect(receiver.received).toHaveLength(before + 6);
  // The caller's credential is in a header, so another origin is for the caller to judge.
  receiver.answer((response) => void response.writeHead(302, { location: 'http://127.0.0.2:1/' }).end());
  expect((await fetch(receiver.url)).status).toBe(302);
  receiver.answer((response) => void response.writeHead(302, { location: '/next' }).end());
  expect((await fetch(receiver.url, { method: 'POST', body: '{}' })).status).toBe(302);
});

test('a body above the limit is refused while it arrives', async () => {
  const chunk = Buffer.alloc(1_048_576);
  let sent = 0;
  receiver.answer((response) => {
    const more = (): void => {
      if (response.destroyed) return;
      sent += 1;
      response.write(chunk, () => setImmediate(more));
    };
    response.writeHead(200);
    more();
  });
  await expect(createHostFetch({ egressAllow: own })(receiver.url)).rejects.toMatchObject({
    retryable: false,
    message: expect.stringMatching(/more than 33554432 bytes/),
  });
  expect(sent).toBeLessThan(60);
});

test('a host that hangs is left when the caller stops', async () => {
  const stop = new AbortController();
  receiver.answer(() => stop.abort());
  await expect(createHostFetch({ egressAllow: own })(receiver.url, { signal: stop.signal })).rejects.toMatchObject({
    retryable: true,
    message: expect.stringMatching(/could not be reached/),
  });
});

test('of a body only the end is kept where that is asked for', async () => {
  receiver.answer((response) => {
    response.writeHead(200);
    for (let part = 0; part < 40; part += 1) response.write(Buffer.alloc(1_048_576, 'x'));
    response.end('the end');
  });
  const tail = async (tailBytes: number) =>
    (await createHostFetch({ egressAllow: own })(receiver.url, { tailBytes })).text();
  expect(await tail(9)).toBe('xxthe end');
  expect(await tail(100_000)).toMatch(/^x{99993}the end$/);
  receiver.answer((response) => void response.end('short'));
  expect([await tail(5), await tail(6)]).toEqual(['short', 'short']);
});
