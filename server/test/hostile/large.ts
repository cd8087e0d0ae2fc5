import { setImmediate as turn } from 'node:timers/promises';
import { takeModelStep } from '../../src/adapters/agent/builtin/model-step.ts';
import { connectModel } from '../../src/adapters/agent/builtin/provider-models.ts';
import { createUsageMeter } from '../../src/gateway/model/usage.ts';
import { startPeer, type Peer } from '../support/gateway.ts';
import type { GatewayWorld } from './gateway-world.ts';
import { kib, mib, prose, repeated, shared } from './sizes.ts';
import type { HostileCase } from './stand-still.ts';

/** Contents of JSON strings that take longer to read or write than others of their size. */
const contents: Readonly<Record<string, (size: number) => string>> = {
  letters: (size) => repeated('word ', size),
  'a few letters that are not Latin': (size) => repeated(`€${'word '.repeat(50)}`, size - size / 100),
  'letters of three bytes': (size) => '€'.repeat(size / 3 - 1),
  escapes: (size) => '\\n'.repeat(size / 2 - 1),
  'letters by their number': (size) => '\\u20ac'.repeat(size / 6 - 1),
  'many texts': (size) => `${'x'.repeat(1_000)}","`.repeat(size / 1_003 - 1),
};

/** Cases with the largest model requests. */
function modelCases({ world, client }: GatewayWorld): HostileCase[] {
  const size = 32 * mib - 100;
  const send = async (body: Uint8Array): Promise<void> => {
    const headers = { 'content-type': 'application/json' };
    const url = `${world.inside}/model/anthropic/v1/messages`;
    const status = await client.send({ method: 'POST', url, headers, body });
    if (status !== 200) throw new Error(`answered ${status}`);
  };
  const bodyOf = (content: string): Uint8Array =>
    shared(`{"model":"a","messages":[{"role":"user","content":["${content}"]}]}`);
  const little = bodyOf('x');
  return Object.entries(contents).map(([input, make]): HostileCase => {
    const body = bodyOf(make(size));
    return {
      path: 'gateway /model',
      input: `32 MiB: ${input}`,
      harmless: () => send(little),
      hostile: () => send(body),
    };
  });
}

async function feed(bytes: Buffer, type: string): Promise<void> {
  const meter = createUsageMeter('messages', type, type.startsWith('text/'));
  for (let at = 0; at < bytes.length; at += 64 * kib) {
    await meter.push(bytes.subarray(at, at + 64 * kib));
    await turn();
  }
  await meter.read(true, 1);
}

function answerCases(): HostileCase[] {
  return Object.entries(contents).flatMap(([input, make]): HostileCase[] => {
    const json = Buffer.from(`{"content":["${make(32 * mib - 50)}"],"usage":{"output_tokens":5}}`);
    const event = Buffer.from(`data: {"type":"x","delta":["${make(8 * mib - 50)}"]}\n\n`);
    return [
      {
        path: "a model's answer",
        input: `32 MiB: ${input}`,
        harmless: () => feed(Buffer.from(`{"x":"${prose.trim()}"}`), 'application/json'),
        hostile: () => feed(json, 'application/json'),
      },
      {
        path: "a model's stream",
        input: `an event of 8 MiB: ${input}`,
        harmless: () => feed(Buffer.from(`data: {"x":"${prose.trim()}"}\n\n`), 'text/event-stream'),
        hostile: () => feed(event, 'text/event-stream'),
      },
    ];
  });
}

/** Hostile streams of a provider, by path. */
const streams: Readonly<Record<string, Buffer>> = {
  '/none': Buffer.from('\n'),
  '/unknown fields': Buffer.from(repeated('x\n', mib)),
  '/carriage returns': Buffer.from(repeated('\r', mib)),
  '/empty data': Buffer.from(repeated('data\n\n', mib)),
  '/a line of 16 MiB': Buffer.alloc(16 * mib, 'x'),
  '/an event of 2 MiB': Buffer.from(`data: {"type":"x","x":"${'\\n'.repeat(mib - 100)}"}\n\n`),
};

export function startProvider(): Promise<Peer> {
  return startPeer((request, response) => {
    request.resume();
    const path = decodeURI((request.url ?? '').replace('/v1/messages', ''));
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(streams[path]);
  });
}

function stepCases({ url }: Peer): HostileCase[] {
  const model = { provider: 'a', kind: 'anthropic', name: 'a', headers: {}, contextTokens: 1_000 } as const;
  const step = (path: string) =>
    takeModelStep({
      model: connectModel({ ...model, url: `${url}${path}` }),
      instructions: '',
      messages: [{ role: 'user', content: 'x' }],
      tools: {},
      maxOutputTokens: undefined,
      temperature: undefined,
      secrets: [],
      signal: new AbortController().signal,
      onEvent: () => undefined,
      knowsCall: () => false,
    });
  return Object.keys(streams).map((path): HostileCase => ({
    path: "a model's stream, in the built-in agent",
    input: path.slice(1),
    harmless: () => step('/none'),
    hostile: () => step(path),
  }));
}

/** Cases with the largest possible inputs, long rather than tricky. */
export function largeCases(gateway: GatewayWorld, provider: Peer): HostileCase[] {
  return [...modelCases(gateway), ...answerCases(), ...stepCases(provider)];
}
