import { accepted } from './client.ts';
import type { GatewayWorld, PeerAnswer } from './gateway-world.ts';
import { mib, prose, repeated, shared } from './sizes.ts';
import type { HostileCase } from './stand-still.ts';

const json = (body: string): PeerAnswer => ({ type: 'application/json', body: Buffer.from(body) });
const html = (body: string): PeerAnswer => ({ type: 'text/html', body: Buffer.from(body) });
const size = mib;
const version = (tarball: string): string => `"1":{"dist":{"tarball":"${tarball}"}},`;

/** Responses of registries and of brokers' hosts, by path: 1 MiB each. */
export const pages: Readonly<Record<string, PeerAnswer>> = {
  '/npm/plain': json(`{"versions":{},"readme":${JSON.stringify(repeated(prose, size))}}`),
  '/npm/tarballs': json(`{"versions":{${repeated(version('https://h/a/-/a-1.tgz'), size)}`),
  '/npm/places': json(`{"versions":{${repeated(version(`http://x/${'@a/'.repeat(60)}`), size)}`),
  '/npm/quotes': json(`{"versions":{${repeated('"":{"":"","dist":{"tarball":""}},', size)}`),
  '/npm/open': json(`{"versions":{"a":{"dist":{"tarball":"${repeated('\\\\', size)}`),
  '/npm/deep': json(repeated('{"versions":', size)),
  '/pip/plain/': html(repeated(prose, size)),
  '/pip/links/': html(repeated(' href="links-1.zip" ', size)),
  '/pip/open/': html(repeated(' href = ', size)),
  '/pip/spaces/': html(` href${repeated(' \n', size)}`),
  '/pip/unclosed/': html(repeated(` href="${'a'.repeat(7_000)}`, size)),
  '/pip/files/': json(`{"files":[${repeated('{"url":"../../a-1.zip"},', size)}`),
  '/secret/plain': json(repeated(prose, size)),
  '/secret/letters': json(repeated('%61', size)),
  '/secret/headers': {
    ...json('{}'),
    headers: Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`x-${at}`, repeated('%61', 120)])),
  },
  '/secret/location': { ...json('{}'), headers: { location: repeated('/%61', 12_000) } },
};

/** Cases for responses of package registries and of brokers' hosts. */
export function pageCases({ world, client, host }: GatewayWorld): HostileCase[] {
  return Object.keys(pages).map((path): HostileCase => {
    const [, way = ''] = path.split('/');
    const plain = way === 'pip' ? '/pip/plain/' : `/${way}/plain`;
    const ask = (asked: string): Promise<void> => {
      if (way === 'secret') return accepted(client.send({ method: 'GET', url: `${host}${asked}`, via: world.inside }));
      return accepted(client.send({ method: 'GET', url: `${world.inside}${asked.replace('/pip/', '/pip/simple/')}` }));
    };
    return {
      path: way === 'secret' ? 'gateway, an answer beside a secret' : `gateway /${way}, its answer`,
      input: path.split('/')[2] ?? '',
      harmless: () => ask(plain),
      hostile: () => ask(path),
    };
  });
}

/** Cases for requests of a sandbox: heads that lead nowhere, and bodies for brokers' hosts. */
export function requestLineCases({ world, client, host }: GatewayWorld): HostileCase[] {
  const long = (text: string): string => repeated(text, 15_000);
  const target = host.slice('http://'.length);
  const connect = (authority: string) => client.send({ method: 'CONNECT', url: authority, via: world.inside });
  const proxied = (headers: Record<string, string>, body?: Buffer) =>
    client.send({ method: 'POST', url: `${host}/secret/location`, via: world.inside, headers, body });
  const heads = ['a:', ':1', 'a.', '[::', '%61', 'xn--', '@', '٣'].map((text) =>
    encodeURI(long(text)).slice(0, 15_000),
  );
  const [letters, objects] = [shared(Buffer.alloc(16 * mib, 'x')), shared(repeated('{},', 16 * mib))];
  return [
    {
      path: 'gateway, CONNECT',
      input: 'targets of 15 KB',
      harmless: () => connect(target),
      hostile: async () => {
        for (const head of heads) await connect(`${head}:443`);
      },
    },
    {
      path: 'gateway, plain proxy',
      input: 'targets of 15 KB',
      harmless: () => proxied({}),
      hostile: async () => {
        for (const head of heads)
          await client.send({
            method: 'GET',
            url: `http://${head}/${long('../')}`.slice(0, 15_500),
            via: world.inside,
          });
      },
    },
    {
      path: 'gateway, plain proxy',
      input: 'headers of 15 KB, and a body of 16 MiB',
      harmless: () => proxied({}, letters),
      hostile: async () => {
        for (const value of [long('a,'), long(' ,'), long('x-a,')]) await proxied({ connection: value });
        await proxied({ 'content-type': 'application/json' }, objects);
      },
    },
  ];
}
