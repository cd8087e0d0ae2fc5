import { afterAll, beforeAll, expect, test } from 'vitest';
import { openReceiver, type Receiver } from '../../../test/support/receiver.ts';
import { createOutgoing } from './outgoing.ts';

let receiver: Receiver;
let port: string;
beforeAll(async () => {
  receiver = await openReceiver();
  ({ port } = new URL(receiver.url));
});
afterAll(() => receiver.close());

const message = { headers: {}, body: '{}', signal: new AbortController().signal };

test.each([
  'http://127.0.0.1',
  'http://2130706433',
  'http://0x7f.1',
  'http://[::1]',
  'http://[::ffff:127.0.0.1]',
  'http://[::ffff:7f00:1]',
  'http://[64:ff9b::7f00:1]',
  'http://0.0.0.0',
  'http://localhost',
])('%s is not called', async (origin) => {
  const outgoing = createOutgoing({ egressAllow: [] });
  await expect(outgoing({ ...message, url: `${origin}:${port}/` })).rejects.toThrow(/is not public/);
  expect(receiver.received).toEqual([]);
});

test('private networks and metadata services are not called', async () => {
  const outgoing = createOutgoing({ egressAllow: [] });
  for (const host of [
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '100.64.0.1',
    '169.254.169.254',
    '[fd00::1]',
    '[fe80::1]',
  ])
    await expect(outgoing({ ...message, url: `http://${host}/` })).rejects.toThrow(/is not public/);
});

test('a name is looked up once: what it means later does not matter', async () => {
  const answers = ['127.0.0.1', '10.0.0.1'];
  let lookups = 0;
  const outgoing = createOutgoing({
    egressAllow: [{ purpose: 'webhook', target: '127.0.0.1/32' }],
    lookup: async () => [{ address: answers[lookups++] ?? '', family: 4 }],
  });
  expect(await outgoing({ ...message, url: `http://hooks.example.com:${port}/` })).toEqual({ status: 204, body: '' });
  expect(lookups).toBe(1);
  expect(receiver.received.at(-1)?.headers.host).toBe(`hooks.example.com:${port}`);
  await expect(outgoing({ ...message, url: `http://hooks.example.com:${port}/` })).rejects.toThrow(/is not public/);
});

test('a receiver that hangs is left when the sender is stopped', async () => {
  const outgoing = createOutgoing({ egressAllow: [{ purpose: 'webhook', target: '127.0.0.1/32' }] });
  const stop = new AbortController();
  const before = receiver.received.length;
  receiver.answer(() => stop.abort());
  await expect(outgoing({ ...message, url: receiver.url, signal: stop.signal })).rejects.toThrow(
    /could not be reached/,
  );
  expect(receiver.received).toHaveLength(before + 1);
});

test('what contains a credential goes to a public address only over https', async () => {
  const lookup = async () => [{ address: '1.1.1.1', family: 4 }];
  const outgoing = createOutgoing({ egressAllow: [{ purpose: 'webhook', target: '127.0.0.1/32' }], lookup });
  receiver.answer((response) => void response.writeHead(204).end());
  const secret = { ...message, isConfidential: true };
  await expect(outgoing({ ...secret, url: 'http://hooks.example.com/' })).rejects.toThrow(/Use https/);
  await expect(outgoing({ ...secret, url: 'http://8.8.8.8/' })).rejects.toThrow(/Use https/);
  expect((await outgoing({ ...secret, url: receiver.url })).status).toBe(204);
});
