import { madeIn } from '../support/fixture.ts';
import type { RouteWorld } from './routes.ts';
import { plainBody } from './bodies.ts';
import { repeated } from './sizes.ts';
import type { HostileCase } from './stand-still.ts';

const long = (text: string): string => repeated(text, 15_000);

/** Headers that a route reads; without a path, any route does. */
const headers: readonly { name: string; path?: string; values: readonly string[] }[] = [
  { name: 'cookie', values: [';', '=', 'guildhall=;', '"', '%41', 'a=%;', `guildhall=${'a'.repeat(50)};`] },
  { name: 'authorization', values: ['Bearer ', 'Basic ', ' ', 'bearer\t'] },
  {
    name: 'accept',
    path: '/v3/organizations/default/blueprints',
    values: ['application/', 'text/x-yaml,', 'a/b;q=0.1,', '*/*,'],
  },
  { name: 'accept-encoding', path: '/openapi.json', values: ['gzip;q=0.1,', ' ', 'a ;', ',', 'gzip; q=1'] },
  { name: 'if-none-match', path: '/v3/organizations/default', values: ['"a",', 'W/', '"', '*'] },
  { name: 'if-match', path: '/v3/organizations/default', values: ['"1",', ',', '"'] },
  { name: 'last-event-id', path: '/v3/organizations/default/sessions/{}/events/stream', values: ['1', '-', 'a'] },
  { name: 'origin', values: ['http://a.', 'a', '[', 'http://[::1]:'] },
  { name: 'x-guildhall-organization', values: ['a', '%41', '/'] },
  { name: 'x-request-id', values: ['a', '\t'] },
  { name: 'forwarded', values: ['for=1;', ','] },
  { name: 'range', values: ['bytes=0-0,', ','] },
];

/** Media types, each with a plausible body. */
const types: Readonly<Record<string, { type: string; body: string }>> = {
  'a form of 1 MiB': { type: 'application/x-www-form-urlencoded', body: repeated('a=%41&', 1_000_000) },
  'a type with many parameters': { type: `application/json${long(';a=b')}`, body: '{}' },
  'a type of slashes': { type: long('a/'), body: '{}' },
  'a form with a boundary of 14 KB': { type: `multipart/form-data; boundary=${repeated('-a', 14_000)}`, body: '--' },
};

const queries = ['a=1&', '&', '=', 'a[]=1&', 'a[b]=&', '%41=%41&', 'first=1&', 'after=a&', '%', '+'];

/** Cases for the parts of every request besides its body, and for paths outside of the document. */
export function headCases({ api, client, inventory }: RouteWorld): HostileCase[] {
  const key = { authorization: `Bearer ${api.adminKey}` };
  const get = (path: string, sent: Record<string, string>) =>
    client.send({
      method: 'GET',
      url: `${api.url}${path.replace('{}', madeIn(inventory, 'sessions/{id}'))}`,
      headers: { ...key, ...sent },
    });
  const post = (path: string, type: string, body: string) =>
    client.send({ method: 'POST', url: `${api.url}${path}`, headers: { ...key, 'content-type': type }, body });
  const each = async (texts: readonly string[], send: (text: string) => Promise<number>): Promise<void> => {
    for (const text of texts) await send(long(text).trim());
  };
  const pages = [
    '/sign-in',
    '/invites/a',
    '/docs/',
    '/openapi.json',
    '/healthz',
    '/metrics',
    '/git/default/acme/stock.git/info/refs',
  ];
  const message = (params: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const values = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`x${at}`, at]));
  const messages = {
    'thousands of unknown arguments': message({ name: 'create_session', arguments: { ...values(9_000), prompt: 1 } }),
    'a prompt of 900 KB': message({ name: 'create_session', arguments: { prompt: repeated('a.b`c`', 900_000) } }),
    'thousands of capabilities': JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '1', capabilities: values(4_500), clientInfo: values(4_500) },
    }),
    'a name of 1 MiB': message({ name: repeated('"', 500_000), arguments: {} }),
    'a message of numbers': JSON.stringify(values(9_900)),
  };
  return [
    ...headers.map(({ name, path = '/v3/self', values: texts }): HostileCase => ({
      path: 'any headers',
      input: `15 KB of ${name}`,
      harmless: () => get('/v3/self', { 'user-agent': long('x') }),
      hostile: () => each(texts, (text) => get(path, { [name]: text })),
    })),
    ...Object.entries(types).map(([input, { type, body }]): HostileCase => ({
      path: 'any body',
      input,
      harmless: () => post('/v3/auth/sign-in', 'application/json', plainBody(16_000)),
      hostile: async () => {
        for (const path of [
          '/v3/auth/sign-in',
          '/v3/organizations/default/attachments',
          '/v3/organizations/default/groups',
        ])
          await post(path, type, body);
      },
    })),
    ...['/v3/organizations/default/sessions', '/v3/organizations/default/audit-logs', ...pages].map(
      (path): HostileCase => ({
        path: `GET ${path}`,
        input: 'queries of 15 KB',
        harmless: () => get(`${path}?${long('x')}`, {}),
        hostile: () => each(queries, (text) => get(`${path}?${text}`, {})),
      }),
    ),
    ...Object.entries(messages).map(([input, body]): HostileCase => ({
      path: 'POST /mcp',
      input,
      harmless: () => post('/mcp', 'application/json', plainBody(1_000_000)),
      hostile: () => post('/mcp', 'application/json', body),
    })),
  ];
}
