import { createSocket, type Socket as DatagramSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { EgressRule } from '../../src/config/config.ts';
import type { Lookup } from '../../src/gateway/net/dial.ts';
import { probesOf, type Probe } from './ssrf-probes.ts';

/** Navigates a browser; not reaching a page is not an error. Returns the text of the current page. */
export type Visit = (url: string) => Promise<string>;

/** A site for pages, forbidden servers, and all probes. */
export interface Range {
  readonly siteUrl: string;
  /** An internal server, which also stands for those behind the gateway. */
  readonly internalUrl: string;
  readonly lookup: Lookup;
  readonly egressAllow: EgressRule[];
  /** The same names for a browser that resolves names itself. */
  readonly hostRules: string;
  /** `each`: one page per kind of sub-resource, instead of one page with all of them. */
  probes(gatewayUrl: string, options: { each: boolean }): readonly Probe[];
  /** Returns how often an internal server was reached. */
  run(probe: Probe, visit: Visit): Promise<{ hits: number; reported: boolean; ms: number }>;
  close(): Promise<void>;
}

const canary = 'canary-of-the-inside';

export async function openRange(): Promise<Range> {
  let hits = 0;
  let lookups = 0;
  const hit = (): void => {
    hits += 1;
  };
  const internal = await serve('127.0.0.1', 0, inside);
  const port = portOf(internal);
  const internal6 = await serve('::1', port, inside);
  for (const server of [internal, internal6]) server.on('connection', hit);
  const stun = await listenUdp(hit);
  const directory = await mkdtemp(join(tmpdir(), 'range-'));
  const file = join(directory, 'file.html');
  await writeFile(file, canary);

  const current: { probe?: Probe; reported: boolean } = { reported: false };
  const site = await serve('127.0.0.1', 0, (request, response) => {
    response.setHeader('access-control-allow-origin', '*');
    if (request.url === '/report') current.reported = true;
    if (`${siteUrl}${request.url}` === current.probe?.url && current.probe.serve !== undefined)
      current.probe.serve(response);
    else response.writeHead(204).end();
  });
  const siteUrl = `http://site.test:${portOf(site)}`;
  // At the internal server's port: a name resolves to this address first, then to the internal one.
  const rebound = await serve('127.0.0.2', port, (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html', connection: 'close' });
    response.end(`<script>
      const again = () => fetch('/again', {cache: 'no-store'}).catch(() => 0);
      again().then(again).then(again).then(() => fetch('${siteUrl}/report'));
    </script>`);
  });
  return {
    siteUrl,
    internalUrl: `http://127.0.0.1:${port}`,
    lookup: async (host) => {
      if (host === 'rebind.test') lookups += 1;
      const address = addresses[host] ?? (host === 'rebind.test' && lookups === 1 ? '127.0.0.2' : '127.0.0.1');
      if (!host.endsWith('.test') && host !== 'localhost') throw new Error(`no such name ${host}`);
      return [{ address, family: address.includes(':') ? 6 : 4 }];
    },
    egressAllow: [
      { purpose: '*', target: `site.test:${portOf(site)}` },
      { purpose: '*', target: '127.0.0.2/32' },
    ],
    hostRules: 'MAP six.test [::1], MAP *.test 127.0.0.1',
    probes: (gatewayUrl, { each }) => probesOf({ port, udpPort: stun.address().port, siteUrl, gatewayUrl, file }, each),
    async run(probe, visit) {
      const before = hits;
      const startedAt = performance.now();
      current.probe = probe;
      current.reported = false;
      lookups = 0;
      const text = await visit(probe.url);
      const until = performance.now() + waits[probe.ends];
      const isOver = (): boolean => (probe.ends === 'leaves' ? hits > before : current.reported);
      while (!isOver() && performance.now() < until) await delay(10);
      if (text.includes(canary)) hit();
      return { hits: hits - before, reported: current.reported, ms: performance.now() - startedAt };
    },
    async close() {
      stun.close();
      for (const server of [internal, internal6, site, rebound]) {
        server.closeAllConnections();
        server.close();
      }
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Milliseconds to wait for a page's actions. */
const waits = { at_once: 0, leaves: 400, reports: 4_000 } as const;
const addresses: Readonly<Record<string, string>> = { 'six.test': '::1', 'mapped.test': '::ffff:127.0.0.1' };

const inside: RequestListener = (_request, response) => {
  // Each request uses its own connection, and each counts.
  response.writeHead(200, { 'content-type': 'text/html', connection: 'close', 'access-control-allow-origin': '*' });
  response.end(canary);
};

async function serve(host: string, port: number, listener: RequestListener): Promise<Server> {
  const server = createServer(listener);
  server.listen(port, host);
  await once(server, 'listening');
  return server;
}

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

async function listenUdp(onMessage: () => void): Promise<DatagramSocket> {
  const socket = createSocket('udp4', onMessage);
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return socket;
}
