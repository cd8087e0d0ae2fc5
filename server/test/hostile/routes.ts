import { operationsOf, type Operation } from '../fuzz/requests.ts';
import type { TestApi } from '../support/api.ts';
import { parameterOf, type Inventory } from '../support/inventory.ts';
import { anyBodies, largestBody, plainBody, wrongBody } from './bodies.ts';
import { accepted, type Client } from './client.ts';
import type { HostileCase } from './stand-still.ts';

type Schema = Readonly<Record<string, unknown>>;

/** The API under test, and a client for it. */
export interface RouteWorld {
  api: TestApi;
  client: Client;
  inventory: Inventory;
  document: Record<string, unknown>;
}

/** Cases for every operation of the document: the largest invalid body, and the longest queries. */
export function routeCases(world: RouteWorld): HostileCase[] {
  const operations = operationsOf(world.document).filter(({ path }) => !path.startsWith('/openapi'));
  return operations.flatMap((operation) => [...bodyCases(world, operation), ...queryCases(world, operation)]);
}

function sender({ api, client, inventory }: RouteWorld, { method, path }: Operation) {
  const own = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(parameterOf(path, name, inventory)),
  );
  return (search: string, body?: Uint8Array | string, type = 'application/json'): Promise<number> =>
    client.send({
      method,
      url: `${api.url}${own}${search}`,
      headers: { authorization: `Bearer ${api.adminKey}`, ...(body === undefined ? {} : { 'content-type': type }) },
      body,
    });
}

function bodyCases(world: RouteWorld, operation: Operation): HostileCase[] {
  const schema = operation.bodies['application/json'];
  if (schema === undefined) return [];
  const resolve = (known: Schema): Schema => {
    const name = /^#\/components\/schemas\/(\w+)$/.exec(String(known['$ref']))?.[1];
    return name === undefined ? known : Object(Object(Object(world.document['components']).schemas)[name]);
  };
  const send = sender(world, operation);
  const size = sizeOf(operation);
  const plain = plainBody(size);
  const inputs = {
    'wrong values in all its lists, and unknown names': wrongBody(schema, resolve, size),
    'the largest value of its schema': largestBody(schema, resolve, size),
  };
  return Object.entries(inputs).map(([input, body]): HostileCase => ({
    path: `${operation.method} ${operation.path}`,
    input,
    harmless: () => accepted(send('', plain)),
    hostile: () => accepted(send('', body)),
  }));
}

function sizeOf({ path, method }: Operation): number {
  if (/^\/v3\/(?:auth\/sign-|invites)/.test(path)) return 16_384;
  return method === 'POST' && /(?:memory\/notes|\/skills)$/.test(path) ? 2_097_152 : 1_048_576;
}

function queryCases(world: RouteWorld, operation: Operation): HostileCase[] {
  const names = operation.parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
  const own = ownBytes(operation);
  if (names.length === 0 || operation.method !== 'GET' || own) return [];
  const send = sender(world, operation);
  const long = (value: string): string => value.repeat(15_000 / value.length);
  const harmless = `?${names[0]}=${long('x')}`;
  const hostile = [
    ...names.map((name) => `?${name}=${long(',a')}`),
    `?${long(`${names[0]}=1&`)}`,
    `?after=${Buffer.from(long('[')).toString('base64url').slice(0, 15_000)}`,
  ];
  return [
    {
      path: `${operation.method} ${operation.path}`,
      input: 'queries of 15 KB: lists of thousands, one name a thousand times, a cursor of brackets',
      harmless: () => send(harmless),
      hostile: async () => {
        for (const search of hostile) await send(search);
      },
    },
  ];
}

/** Streams do not end by themselves. */
function ownBytes({ path }: Operation): boolean {
  return /\/(?:stream|events)$/.test(path);
}

/** Cases for input that is parsed before routing, or in the same way for all routes. */
export function requestCases({ api, client }: RouteWorld): HostileCase[] {
  const key = { authorization: `Bearer ${api.adminKey}` };
  const json = { ...key, 'content-type': 'application/json' };
  const self = `${api.url}/v3/self`;
  const create = `${api.url}/v3/organizations/default/groups`;
  const size = 1_048_576;
  const plain = plainBody(size);
  const long = (text: string): string => text.repeat(15_000 / text.length);
  const headers: Record<string, Record<string, string>> = {
    'a cookie of thousands': { cookie: long('a=b;') },
    'quotation marks in a cookie': { cookie: `a="${long('\\"')}` },
    'a key of 15 KB': { authorization: `Bearer ${long('guild_')}` },
    'a password of 15 KB': { authorization: `Basic ${long('aaaa')}` },
    'an idempotency key of 15 KB': { ...json, 'idempotency-key': long('x') },
    'conditions of 15 KB': { ...key, 'if-none-match': long('"a",'), 'if-match': '"1"' },
    'addresses of 15 KB': { ...key, 'x-forwarded-for': long('1.1.1.1, ') },
  };
  return [
    ...Object.entries(anyBodies).map(([input, make]): HostileCase => {
      const body = make(size);
      return {
        path: 'any JSON body',
        input,
        harmless: () => client.send({ method: 'POST', url: create, headers: json, body: plain }),
        hostile: () => client.send({ method: 'POST', url: create, headers: json, body }),
      };
    }),
    ...Object.entries(headers).map(([input, sent]): HostileCase => ({
      path: 'any headers',
      input,
      harmless: () => client.send({ method: 'GET', url: self, headers: { ...key, 'user-agent': long('x') } }),
      hostile: () => client.send({ method: 'GET', url: self, headers: sent }),
    })),
    {
      path: 'any path',
      input: 'parts of 15 KB, percent signs and dots',
      harmless: () => client.send({ method: 'GET', url: `${api.url}/v3/${long('x')}`, headers: key }),
      hostile: async () => {
        for (const path of [long('%41'), long('../'), long('/'), long('%2f'), `organizations/${long('a-')}`])
          await client.send({ method: 'GET', url: `${api.url}/v3/${path}`, headers: key });
      },
    },
  ];
}
