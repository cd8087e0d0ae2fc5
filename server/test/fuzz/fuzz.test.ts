import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../support/api.ts';
import { madeIn } from '../support/fixture.ts';
import { parameterOf, stock, type Inventory } from '../support/inventory.ts';
import { join, personalKey } from '../support/members.ts';
import { closedValidators } from '../support/openapi.ts';
import type { Manner, Resolve, Schema } from './json-schema.ts';
import { operationsOf, requestsTo, type FuzzRequest, type Operation } from './requests.ts';

/** Enough for about twenty requests per operation; set the variable for a longer search with another seed. */
const total = Number(process.env['GUILDHALL_FUZZ_REQUESTS'] ?? 4_000);
const atOnce = 8;
const seed = Number(process.env['GUILDHALL_FUZZ_SEED'] ?? 20_261_121);

let api: TestApi;
let mine: Inventory;
let theirs: Inventory;
let keys: string[];
let ownKeyId: string;
let document: Record<string, unknown>;
beforeAll(async () => {
  api = await startTestApi({ GUILDHALL_LOG_LEVEL: 'error' });
  const other = await api.createOrganization('Elsewhere');
  mine = await stock(api, 'default', api.adminKey);
  theirs = await stock(api, other.slug, other.key);
  const viewer = await personalKey(api, mine.orgId, await join(api, mine.orgId, 'viewer'));
  keys = [...Array.from({ length: 12 }, () => api.adminKey), viewer, other.key, ''];
  ownKeyId = String(Object((await api.call('GET', '/v3/self')).json['key']).id);
  document = (await api.call('GET', '/openapi.json', { key: '' })).json;
});
afterAll(() => api.close());

/** Resolves references of the document, and provides words for fields that no schema could list. */
function resolver(): Resolve {
  const find = (schema: Schema): Schema => {
    const name = /^#\/components\/schemas\/(\w+)$/.exec(String(schema['$ref']))?.[1];
    return name === undefined ? schema : Object(Object(Object(document['components']).schemas)[name]);
  };
  const none = [undefined, null];
  const hints = {
    repo: ['acme/stock'],
    ref: [undefined],
    provider: ['local'],
    change_request: [undefined],
    agent_id: ['', madeIn(mine, 'agents/{agent_id}')],
    user_id: [madeIn(mine, 'members/{userId}')],
    user_ids: [[], [madeIn(mine, 'members/{userId}')]],
    email: [undefined],
    slug: [undefined],
    cidr: ['10.0.0.0/8', '192.0.2.7', '2001:db8::/32'],
    timezone: ['UTC', 'Europe/Berlin', 'America/New_York'],
    attachment_ids: [[]],
    files: ['one', 'two', 'three'].map((name) => [
      { path: 'SKILL.md', content: `---\nname: ${name}\ndescription: Does it.\n---\nDo it.\n` },
    ]),
    import_url: [undefined],
    expires_at: [undefined, null],
    runtime: [undefined, 'builtin'],
    runtime_config: [undefined, {}],
    model: [undefined],
    repo_filter: ['', 'acme/*', 'local:acme/stock'],
    knowledge_ids: none,
    secret_ids: none,
    skill_ids: none,
    mcp_server_ids: none,
    url: ['https://tools.example.com/mcp'],
    command: [undefined, ''],
    args: [undefined, []],
    env: [undefined, {}],
    headers: [undefined, { 'x-team': 'core' }],
    access: [undefined, 'organization', 'on_request'],
    repos: [undefined, []],
  };
  return Object.assign(find, { hints });
}

/** Returns the ids for a parameter: its own and, for expected refusals, another organization's and a missing one. */
function known(path: string, parameter: string, manner: Manner): string[] {
  if (parameter === 'orgId') return manner === 'valid' ? [mine.orgId] : [mine.orgId, 'default', theirs.orgId];
  const own = parameterOf(path, parameter, mine);
  if (manner === 'valid') return [own];
  return [own, own, own, parameterOf(path, parameter, theirs), own.replace(/_.*/, `_${'0'.repeat(26)}`)];
}

/** Resources in earlier responses by the prefix of their ids, for later requests. */
const seen = new Map<string, string[]>();

function note(text: string): void {
  for (const [id, prefix = ''] of text.matchAll(/\b([a-z]{2,5})_[0-9a-z]{26}\b/g)) {
    // The key in use must not be revoked, nor its owner removed.
    if (prefix === 'usr' || id === ownKeyId) continue;
    const ids = seen.get(prefix) ?? [];
    seen.set(prefix, [...ids.slice(-20), id]);
  }
}

/** Replaces an id by a newer resource in every other turn. */
function renewed(path: string, turn: number): string {
  if (turn % 2 === 0) return path;
  return path.replaceAll(/\b([a-z]{2,5})_[0-9a-z]{26}\b/g, (id, prefix: string) => {
    const ids = id === mine.orgId || id === theirs.orgId ? [] : (seen.get(prefix) ?? []);
    return ids[turn % Math.max(1, ids.length)] ?? id;
  });
}

/** Returns requests in turn for each operation, so that one creates what others need. */
function requests(operations: Operation[]): FuzzRequest[] {
  const resolve = resolver();
  const each = Math.ceil(total / operations.length);
  const samples = operations.map((operation) =>
    fc.sample(requestsTo(operation, known, resolve), { numRuns: each, seed }),
  );
  return Array.from({ length: each }, (_, round) => samples.flatMap((sample) => sample[round] ?? [])).flat();
}

const ofWorkers = new Set(['createBrowserSession', 'testMcpServer', 'listMcpServerTools']);

/** Creates a function that checks a response against the document and returns the problem. */
function createJudge() {
  const validatorOf = closedValidators(document);
  return async ({ operation }: FuzzRequest, response: Response): Promise<string> => {
    const { status } = response;
    // No worker runs here.
    if (status === 503 && ofWorkers.has(operation.id)) return '';
    if (status >= 500) return `${status} ${await response.text()}`;
    const declared = operation.answers[String(status)];
    if (declared === undefined) return `${status} is not declared: ${await response.text()}`;
    const type = (response.headers.get('content-type') ?? '').split(';')[0] ?? '';
    if (type === 'text/event-stream') {
      await response.body?.cancel();
      return declared[type] === undefined ? `${type} is not declared` : '';
    }
    const text = await response.text();
    if (text === '' && declared['application/json'] === undefined) return '';
    note(text);
    const schema = declared[type] ?? declared['*/*'];
    if (schema === undefined) return `${status} with ${type} is not declared: ${text.slice(0, 200)}`;
    if (type !== 'application/json') return '';
    const answer: unknown = JSON.parse(text);
    const { error, details } = Object(answer);
    if (error === 'invalid_request' && !(Object(details).issues?.length > 0)) return `names no field: ${text}`;
    const problem = validatorOf(String(schema['$ref']))(answer);
    return problem === '' ? '' : `${status} does not fit: ${problem}: ${text.slice(0, 300)}`;
  };
}

describe('requests of all kinds', () => {
  test(`get no 5xx, and only answers that fit the document`, { timeout: 60_000 + 60 * total }, async () => {
    const judge = createJudge();
    const queue = requests(operationsOf(document));
    const wrong: string[] = [];
    const statuses = new Map<string, number>();
    let sent = 0;
    async function work(): Promise<void> {
      for (let request = queue.shift(); request !== undefined; request = queue.shift()) {
        const key = keys[sent % keys.length] ?? '';
        sent += 1;
        const { operation, headers, body, manner } = request;
        const path = renewed(request.path, sent);
        const response = await fetch(`${api.url}${path}`, {
          method: operation.method,
          redirect: 'manual',
          headers: { ...(key === '' ? {} : { authorization: `Bearer ${key}` }), ...headers },
          ...(body === undefined ? {} : { body }),
        }).catch((error: unknown) => {
          throw new Error(
            `${operation.method} ${path} ${JSON.stringify(headers)} ${typeof body === 'string' ? body.slice(0, 300) : ''}`,
            {
              cause: error,
            },
          );
        });
        const group = `${String(response.status).slice(0, 1)}xx to ${manner}`;
        statuses.set(group, (statuses.get(group) ?? 0) + 1);
        const problem = await judge(request, response);
        if (problem !== '')
          wrong.push(`${operation.method} ${path} ${typeof body === 'string' ? body.slice(0, 500) : ''}: ${problem}`);
      }
    }
    await Promise.all(Array.from({ length: atOnce }, work));
    const counts = [...statuses].toSorted(([a], [b]) => a.localeCompare(b)).map(([group, n]) => `${n} ${group}`);
    process.stdout.write(`${sent} requests, seed ${seed}: ${counts.join(', ')}\n`);
    expect(wrong.slice(0, 20)).toEqual([]);
    expect(sent).toBeGreaterThanOrEqual(total);
    // Most valid requests must succeed, or the test would only see refusals.
    expect(statuses.get('2xx to valid') ?? 0).toBeGreaterThan(total / 10);
  });
});
