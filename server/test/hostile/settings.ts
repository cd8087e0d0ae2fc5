import { namespaces } from '../../src/features/settings/namespaces/index.ts';
import { largestBody, plainBody, wrongBody } from './bodies.ts';
import { accepted } from './client.ts';
import type { RouteWorld } from './routes.ts';
import { mib, repeated } from './sizes.ts';
import type { HostileCase } from './stand-still.ts';

/** Cases for a namespace's largest value, one with invalid lists, and the worst input of its own rules. */
export function settingsCases({ api, client }: RouteWorld): HostileCase[] {
  const headers = { authorization: `Bearer ${api.adminKey}`, 'content-type': 'application/json' };
  const put = (namespace: string, body: string): Promise<void> => {
    const url = `${api.url}/v3/organizations/default/settings/${namespace}`;
    return accepted(client.send({ method: 'PUT', url, headers, body }));
  };
  const plain = plainBody(mib);
  return Object.entries(namespaces).flatMap(([namespace, { value: schema }]) => {
    const inputs = {
      'the largest value': largestBody(Object(schema), (known) => known, mib),
      'wrong values in all its lists, and unknown names': wrongBody(Object(schema), (known) => known, mib),
      ...Object.fromEntries(
        Object.entries(made[namespace] ?? {}).map(([input, value]) => [input, JSON.stringify(value)]),
      ),
    };
    return Object.entries(inputs).map(([input, body]): HostileCase => ({
      path: `PUT …/settings/${namespace}`,
      input,
      harmless: () => put(namespace, plain),
      hostile: () => put(namespace, body),
    }));
  });
}

const list = (count: number, make: (at: number) => string): string[] =>
  Array.from({ length: count }, (_, at) => make(at));

const made: Readonly<Record<string, Record<string, object>>> = {
  run_tags: {
    'patterns that nearly fit': {
      allowed: list(200, (at) => `${'*a'.repeat(48)}${at}`),
      default: list(50, (at) => `${'a'.repeat(96)}${at}`),
    },
  },
  sandbox: {
    'hosts that are nearly some': { allowed_hosts: list(500, (at) => `${at}${'a-'.repeat(120)}`) },
    'hosts of many parts': { allowed_hosts: list(500, (at) => `${'a.'.repeat(120)}${at}`) },
    'hosts with many ports': { allowed_hosts: list(500, (at) => `a${repeated(':1', 250)}${at}`) },
  },
  models: {
    'prices and patterns of models that nobody has': {
      providers: Array.from({ length: 20 }, (_, at) => ({
        name: `${'a'.repeat(36)}${at}`,
        kind: 'openai_compatible',
        base_url: `https://${'a.'.repeat(100)}x/${at}`,
        secret: '',
      })),
      allowed: list(500, (at) => `${'*'.repeat(190)}/${at}`),
      pro_only: list(500, (at) => `${'a/'.repeat(95)}${at}`),
      prices: Object.fromEntries(
        list(500, (at) => `${'a/'.repeat(95)}${at}`).map((name) => [name, { input_per_mtok: 1, output_per_mtok: 1 }]),
      ),
    },
  },
};
