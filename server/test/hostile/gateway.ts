import { join } from 'node:path';
import { createMask } from '../../src/lib/mask/mask.ts';
import { createScratch, openWorld, startPeer } from '../support/gateway.ts';
import { providerAt } from '../support/models.ts';
import { anyBodies, plainBody } from './bodies.ts';
import type { Client } from './client.ts';
import type { GatewayWorld, PeerAnswer } from './gateway-world.ts';
import { pages } from './pages.ts';
import { pushReports } from './pushes.ts';
import { mib, shared } from './sizes.ts';
import type { HostileCase } from './stand-still.ts';

const secrets = Array.from({ length: 20 }, (_, at) => `${'a'.repeat(1_000)}${at}`);

/** Responses by path. */
const answers: Readonly<Record<string, PeerAnswer>> = {
  '/plain': { type: 'text/event-stream', body: Buffer.from(`data: ${'word '.repeat(400_000)}\n\n`) },
  '/ends': { type: 'text/event-stream', body: Buffer.alloc(128 * 1_024, '\n') },
  '/marks': { type: 'text/event-stream', body: Buffer.from('\uFEFF'.repeat(600_000)) },
  '/lines': { type: 'text/event-stream', body: Buffer.from('data:\r'.repeat(300_000)) },
  '/escapes': { type: 'text/event-stream', body: Buffer.from(`data: ${'%61'.repeat(700_000)}\n\n`) },
  '/json': { type: 'application/json', body: Buffer.from('%61'.repeat(700_000)) },
};

/**
 * Opens a gateway session with a model provider, an MCP server for each response, repositories, registries and a
 * broker's host.
 */
export async function openGateway(client: Client): Promise<GatewayWorld> {
  const scratch = await createScratch();
  const peer = await scratch.closing(
    startPeer((request, response) => {
      request.resume();
      const path = request.url ?? '';
      const { type, body, headers = {} } = answers[path] ?? pages[path] ?? pushAnswer(path);
      request.once('end', () => response.writeHead(200, { 'content-type': type, ...headers }).end(body));
    }),
  );
  const mask = createMask(secrets);
  const tools = Object.keys(answers).map((path) => ({
    slug: path.slice(1),
    url: `${peer.url}${path}`,
    headers: {},
    values: secrets,
  }));
  const repositories = Object.keys(pushReports).map((name) => ({
    provider: 'github',
    repo: `acme/${name}`,
    remoteUrl: `${peer.url}/acme/${name}.git`,
    authorization: async () => 'Basic x',
    push: { branch: 'work' },
  }));
  const credential = {
    name: 'TOKEN',
    urlVariable: '',
    allowedHosts: [new URL(peer.url).host],
    use: 'http',
    header: { name: 'authorization', value: 'Bearer x' },
    values: secrets,
  } as const;
  const brokered = [credential];
  const world = await scratch.closing(
    openWorld(
      {
        directory: join(scratch.path, 'doors'),
        egressAllow: [{ purpose: '*', target: '127.0.0.0/8' }],
        registries: async () => ({
          npm: { main: { url: new URL(`${peer.url}/npm`) }, scopes: new Map(), isDefault: false },
          pip: { url: new URL(`${peer.url}/pip`) },
        }),
      },
      {
        network: 'open',
        repositories,
        models: { providers: [providerAt(peer.url, 'anthropic')], prices: new Map() },
        modelsInside: true,
        mask: () => mask,
        permitModel: async () => ({ allowed: true, maxOutputTokens: 100, settle: async () => undefined }),
        mcpServers: () => tools,
        broker: () => brokered,
      },
    ),
  );
  return { world, client, host: peer.url, close: () => scratch.dispose() };
}

function pushAnswer(path: string): PeerAnswer {
  const body = pushReports[/^\/acme\/(\w+)\.git\/git-receive-pack$/.exec(path)?.[1] ?? ''];
  return body === undefined
    ? { type: 'application/json', body: Buffer.from('{}') }
    : { type: 'application/x-git-receive-pack-result', body };
}

/** Cases with the largest buffered requests, and with requests that lead nowhere. */
export function gatewayCases({ world, client }: GatewayWorld): HostileCase[] {
  const send = (method: string, path: string, body?: string | Uint8Array): Promise<number> =>
    client.send({ method, url: `${world.inside}${path}`, headers: { 'content-type': 'application/json' }, body });
  const plain = shared(plainBody(2 * mib));
  const models = Object.entries(anyBodies).map(([input, make]): HostileCase => {
    const body = shared(make(2 * mib));
    return {
      path: 'gateway /model',
      input: `2 MiB: ${input}`,
      harmless: () => send('POST', '/model/anthropic/v1/messages', plain),
      hostile: () => send('POST', '/model/anthropic/v1/messages', body),
    };
  });
  const conversation = (contents: string[]): Buffer =>
    shared(JSON.stringify({ model: 'a', messages: contents.map((content) => ({ role: 'user', content })) }));
  const likeSecrets = conversation(Array.from({ length: 2_000 }, () => '%61'.repeat(500)));
  const words = conversation(['word '.repeat(600_000)]);
  const [letters, ends] = [shared(Buffer.alloc(16 * mib, 'x')), shared(Buffer.alloc(16 * mib, '\n'))];
  const long = (text: string): string => text.repeat(15_000 / text.length);
  const strange = ['/git/', '/api/v3/', '/npm/', '/pip/', '/broker/', '/mcp/', '/model/', '/'];
  return [
    ...models,
    {
      path: 'gateway /model',
      input: '3 MiB of what looks like secrets',
      harmless: () => send('POST', '/model/anthropic/v1/messages', words),
      hostile: () => send('POST', '/model/anthropic/v1/messages', likeSecrets),
    },
    {
      path: 'gateway /mcp',
      input: 'a message of 16 MiB',
      harmless: () => send('POST', '/mcp/plain', letters),
      hostile: () => send('POST', '/mcp/plain', ends),
    },
    ...Object.keys(answers).map((path): HostileCase => ({
      path: 'gateway /mcp, its answer',
      input: path.slice(1),
      harmless: () => send('GET', '/mcp/plain'),
      hostile: () => send('GET', `/mcp${path}`),
    })),
    ...strange.map((path): HostileCase => ({
      path: `gateway ${path}`,
      input: 'a path of 15 KB',
      harmless: () => send('GET', `${path}${long('x')}`),
      hostile: async () => {
        for (const rest of [long('/'), long('%2f'), long('../'), long('@a/-/'), long('-'), `?${long('a=&')}`])
          await send('GET', `${path}${rest}`);
      },
    })),
    {
      path: 'gateway, plain proxy',
      input: 'hosts of 15 KB',
      harmless: () => client.send({ method: 'GET', url: `${world.inside}/x`, headers: { host: 'x' } }),
      hostile: () => client.send({ method: 'GET', url: `${world.inside}/x`, headers: { host: long('a.') } }),
    },
  ];
}
