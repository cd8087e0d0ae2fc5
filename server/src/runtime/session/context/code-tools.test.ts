import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { script } from '@guildhall/scripted-model';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createModelFixture, type ModelFixture } from '../../../../test/support/model-sessions.ts';
import type { TestRepository } from '../../../../test/support/sessions.ts';
import { startIndexing } from '../../../features/repositories/code-index/jobs.ts';
import { startWikis } from '../../../features/wikis/jobs.ts';

const repositories = '/v3/organizations/default/repositories';
const names = ['find_symbol', 'search_code', 'read_wiki'];
const call = (name: string, input: Record<string, unknown>) => ({ call: { name, input } });
const files = {
  'README.md': '# Shop\n\nSells things.\n',
  'src/cart.ts': '/** Adds a thing to the cart. */\nexport function addThing(id: number) {\n  return id;\n}\n',
};

let fixture: ModelFixture;
let indexed: TestRepository;
let plain: TestRepository;
beforeAll(async () => {
  fixture = await createModelFixture();
  startIndexing(fixture.api.ctx);
  startWikis(fixture.api.ctx);
  await fixture.worker();
  indexed = await fixture.repository(files);
  plain = await fixture.repository({ 'other.ts': 'export function secretThing() {}\n' });
  const path = `${repositories}/${indexed.id}/wiki`;
  await fixture.api.call('POST', `${path}/regenerate`, {});
  await fixture.until(
    async () => (await fixture.api.call('GET', path)).json['state'] === 'ready' || undefined,
    'the wiki is ready',
  );
});
afterAll(() => fixture.close());

/** Runs a session whose model makes these calls; returns their results, and the tools that the model was offered. */
async function use(among: (TestRepository & { ref?: string })[], ...calls: ReturnType<typeof call>[]) {
  const before = fixture.model.requests.length;
  const session = await fixture.run({
    prompt: script(calls, { say: 'Done.' }),
    repositories: among.map(({ repo, ref }) => ({ repo, ...(ref === undefined ? {} : { ref }) })),
    deliver: 'none',
  });
  expect(session.status).toBe('completed');
  const offered = JSON.stringify(fixture.model.requests.slice(before));
  const results = (await fixture.events(session.id)).filter(({ kind }) => kind === 'tool_result');
  return {
    steps: fixture.model.requests.length - before,
    tools: names.filter((name) => offered.includes(`"name":"${name}"`)),
    results: results.map(({ data }) => `${data['ok'] === true ? 'ok' : 'failed'}: ${String(data['output'])}`),
  };
}

test('an agent finds definitions, lines and paths, and reads the wiki, of its own repositories only', async () => {
  const { results, tools } = await use(
    [indexed, plain],
    call('find_symbol', { name: 'addThing' }),
    call('search_code', { query: 'return id', first: 1, repo: null }),
    call('search_code', { query: 'cart', kind: 'path' }),
    call('read_wiki', {}),
    call('read_wiki', { page: 'module-src', offset: 0 }),
    call('find_symbol', { name: 'secretThing', repo: plain.repo }),
    call('search_code', { query: 'secretThing', repo: plain.repo }),
    call('search_code', { query: 'addThing', repo: 'acme/elsewhere' }),
    call('find_symbol', { name: '' }),
    call('read_wiki', { page: 'nowhere' }),
  );
  expect(tools).toEqual(names);
  expect(results).toEqual([
    'ok: src/cart.ts:2: export function addThing(id: number) {',
    'ok: src/cart.ts:3: return id;',
    'ok: src/cart.ts',
    expect.stringMatching(/^ok: overview: Shop\. Sells things\./),
    expect.stringContaining('[`function addThing(id: number)`](src/cart.ts#L2) function: Adds a thing to the cart.'),
    `failed: ${plain.repo} has no index. Use search_code instead.`,
    'ok: other.ts:1: export function secretThing() {}',
    `failed: This session has no repository acme/elsewhere. It has ${indexed.repo}, ${plain.repo}.`,
    expect.stringMatching(/^failed: name .* The fields are: name, repo, first\.$/),
    'failed: The wiki has no page "nowhere". Call read_wiki without page for the list.',
  ]);
});

test('a repository of another organization does not exist', async () => {
  const { key } = await fixture.api.createOrganization('Elsewhere');
  const body = { provider: 'local', repo: 'acme/theirs' };
  const made = await fixture.api.call('POST', '/v3/organizations/elsewhere/repositories', { body, key });
  expect(made.status).toBe(201);
  const { results } = await use([indexed], call('search_code', { query: 'x', repo: 'acme/theirs' }));
  expect(results).toEqual([`failed: This session has no repository acme/theirs. It has ${indexed.repo}.`]);
});

test('a result of a newer commit than the session says so', async () => {
  const path = `${repositories}/${indexed.id}`;
  const before = String(Object((await fixture.api.call('GET', path)).json['index']).commit);
  const tree = await fixture.clone(indexed, 'main');
  await writeFile(join(tree, 'src/cart.ts'), `\n\n${files['src/cart.ts']}`);
  await fixture.git(tree, 'commit', '-q', '-am', 'Move it');
  await fixture.git(tree, 'push', '-q', 'origin', 'HEAD');
  const commit = await fixture.git(tree, 'rev-parse', 'HEAD');
  await fixture.until(
    async () => Object((await fixture.api.call('GET', path)).json['index']).commit === commit || undefined,
    'the index follows the push',
  );
  const { results } = await use(
    [{ ...indexed, ref: before }],
    call('find_symbol', { name: 'addThing' }),
    call('search_code', { query: 'return id' }),
  );
  expect(results).toEqual([
    `ok: [Of commit ${commit.slice(0, 12)}; this session began on ${before.slice(0, 12)}, so lines may differ.]\n\nsrc/cart.ts:4: export function addThing(id: number) {`,
    'ok: src/cart.ts:3: return id;',
  ]);
});

test('a session without an indexed repository has no such tools, and no model call more', async () => {
  expect(await use([plain])).toMatchObject({ steps: 1, tools: [] });
});
