import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { script, startScriptedModel, type ScriptedModel } from '@guildhall/scripted-model';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startWorkerProcess } from '../../../../test/support/failures.ts';
import { createRuntimeFixture, type RuntimeFixture, type TestRepository } from '../../../../test/support/sessions.ts';
import { startIndexing } from '../../repositories/code-index/jobs.ts';
import { startWikis } from '../jobs.ts';
import { mostPages } from './output.ts';

const organization = '/v3/organizations/default';
const call = (name: string, input: Record<string, unknown>) => ({ call: { name, input } });
const cart = `/** Adds a thing to the cart. */\nexport function addThing(id: number) {\n  return id;\n}\n`;
const pay = `export function payAll() {\n  return 0;\n}\n`;
/** Enough files for a module each. */
const modules = Object.fromEntries(
  ['cart', 'pay'].flatMap((name) =>
    Array.from({ length: 20 }, (_, at) => [`src/${name}/m${at}.ts`, `export const ${name}${at} = ${at};\n`]),
  ),
);
const files = { 'README.md': '# Shop\n\nSells things.\n', 'src/cart/add.ts': cart, 'src/pay/pay.ts': pay, ...modules };

const cartProse =
  '## How it works\n\n[`addThing`](src/cart/add.ts#L2-L4) takes an id and returns it, see [pay](module-src-pay).';
const payProse = 'Paying is [not there yet](src/pay/pay.ts#L2).';

let model: ScriptedModel;
let environment: Record<string, string>;
let fixture: RuntimeFixture;
beforeAll(async () => {
  model = await startScriptedModel();
  environment = {
    OPENAI_API_KEY: 'key-of-openai',
    OPENAI_BASE_URL: `${model.url}/v1`,
    GUILDHALL_MODEL: 'openai/scripted',
  };
  fixture = await createRuntimeFixture(environment, undefined, { modelUrl: model.url });
  startIndexing(fixture.api.ctx);
  startWikis(fixture.api.ctx);
  await fixture.worker();
});
afterAll(async () => {
  await fixture.close();
  await model.close();
});

type Pages = Record<string, string>;
const submits = (pages: Pages) =>
  call('submit_output', { pages: Object.entries(pages).map(([slug, text]) => ({ slug, text })) });

/** The steering file, whose notes reach the model: here with the model's script. */
function steeredBy(steps: Parameters<typeof script>[0]): string {
  const notes = [{ content: 'Say what a beginner needs.' }, { content: script(steps, { say: 'Written.' }) }];
  return JSON.stringify({ repo_notes: notes });
}

async function wikiOf(repository: TestRepository) {
  const path = `${organization}/repositories/${repository.id}/wiki`;
  const get = async () => (await fixture.api.call('GET', path)).json;
  return {
    get,
    order: (key?: string) =>
      fixture.api.call('POST', `${path}/regenerate`, { body: {}, ...(key === undefined ? {} : { key }) }),
    page: async (slug: string) => (await fixture.api.call('GET', `${path}/pages/${slug}`)).json,
    /** Waits until the wiki describes a commit and no session writes. */
    settled: (commit: string) =>
      fixture.until(async () => {
        // Before the answer: it must not be older than the end of the session.
        const row = await fixture.api.ctx.db.kysely
          .selectFrom('wikis')
          .select(['wants_prose', 'session_id'])
          .where('repository_id', '=', repository.id)
          .executeTakeFirst();
        const wiki = await get();
        const isDone = wiki['state'] === 'ready' && wiki['commit'] === commit;
        return isDone && row?.wants_prose === false && row.session_id === '' ? wiki : undefined;
      }, 'the wiki has settled'),
  };
}

async function sessionsOf({ repo }: TestRepository) {
  const answer = await fixture.api.call('GET', `${organization}/sessions?repo=${repo}`);
  return Object(answer.json['items']);
}

/** Pushes a commit to main; returns its id. */
async function push(repository: TestRepository, changed: Record<string, string>): Promise<string> {
  const tree = await fixture.clone(repository, 'main');
  for (const [path, text] of Object.entries(changed)) {
    await fixture.git(tree, 'config', 'core.quotepath', 'false');
    await writeFile(join(tree, path), text);
  }
  await fixture.git(tree, 'add', '-A');
  await fixture.git(tree, 'commit', '-q', '-m', 'Change');
  await fixture.git(tree, 'push', '-q', 'origin', 'HEAD');
  return fixture.git(tree, 'rev-parse', 'HEAD');
}

async function steered(steps: Parameters<typeof script>[0], more: Record<string, string> = {}) {
  const repository = await fixture.repository({ ...files, ...more, '.guildhall/wiki.json': steeredBy(steps) });
  const wiki = await wikiOf(repository);
  const tree = await fixture.clone(repository, 'main');
  return { repository, ...wiki, head: await fixture.git(tree, 'rev-parse', 'HEAD') };
}

const states = (wiki: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object(wiki['pages']).map(({ slug, prose_state: state }: Record<string, string>) => [slug, state]),
  );

test('a session writes prose from facts and code; a push makes only its pages stale, and only these are written again', async () => {
  const first = [
    call('read_wiki', { page: 'module-src-cart' }),
    submits({ 'module-src-cart': cartProse, 'module-src-pay': payProse }),
  ];
  const { repository, head, ...wiki } = await steered(first);
  expect((await wiki.order()).status).toBe(202);
  const made = await wiki.settled(head);
  expect(made).toMatchObject({ note: '', prose_session_id: '' });
  expect(states(made)).toMatchObject({ 'module-src-cart': 'current', 'module-src-pay': 'current', overview: 'none' });
  const page = await wiki.page('module-src-cart');
  expect(page['prose']).toBe(
    `## How it works\n\n[\`addThing\`](src/cart/add.ts@${head}#L2) takes an id and returns it, see [pay](module-src-pay).`,
  );
  expect(page['body']).toContain('Adds a thing to the cart.');
  const [session] = await sessionsOf(repository);
  expect(session).toMatchObject({
    status: 'completed',
    mode: 'ask',
    change_requests: [],
    budget: { max_tokens: 3_000_000 },
  });
  expect(session.prompt).toContain('Say what a beginner needs.');

  const second = [submits({ 'module-src-cart': 'It [adds](src/cart/add.ts#L3).', 'module-src-pay': 'Unasked.' })];
  const moved = await push(repository, {
    'src/cart/add.ts': `\n${cart}`,
    '.guildhall/wiki.json': steeredBy(second),
  });
  const stale = await wiki.settled(moved);
  expect(states(stale)).toMatchObject({ 'module-src-cart': 'stale', 'module-src-pay': 'current' });
  // Its links still lead to the lines that it was written from.
  expect((await wiki.page('module-src-cart'))['prose']).toContain(`src/cart/add.ts@${head}#L2`);
  expect(await sessionsOf(repository)).toHaveLength(1);

  await wiki.order();
  expect(states(await wiki.settled(moved))).toMatchObject({ 'module-src-cart': 'current' });
  const [again] = await sessionsOf(repository);
  expect(again.prompt).toContain('module-src-cart: src/cart.');
  expect(again.prompt).not.toContain('module-src-pay: src/pay.');
  expect((await wiki.page('module-src-cart'))['prose']).toBe(`It [adds](src/cart/add.ts@${moved}#L3).`);
  expect((await wiki.page('module-src-pay'))['prose']).toContain(`src/pay/pay.ts@${head}#L2`);
});

test('a model that lies is not believed: what has no link that holds is left out, and said', async () => {
  const lies = [
    'True: [`addThing`](src/cart/add.ts#L2).',
    'False: [`addThing`](src/cart/add.ts#L400) and more.',
    'Another name: [`deleteThing`](src/cart/add.ts#L2).',
    'True: it [returns](src/cart/add.ts#L3), not [that](src/nowhere.ts#L1), <b>bold</b> ![x](https://evil.example/x.png) https://evil.example.',
    'Without any link.',
    '### Above nothing\n\n## A heading\n\n```js\nlies();\n```',
  ].join('\n\n');
  const pages = { 'module-src-cart': lies, 'module-src-pay': 'All [`gone`](src/pay/gone.ts#L1).', overview: lies };
  const { head, ...wiki } = await steered([submits(pages)]);
  await wiki.order();
  const made = await wiki.settled(head);
  expect(made['note']).toBe(
    'The prose of module-src-cart, module-src-pay, overview was refused: its links do not hold.',
  );
  expect(Object.values(states(made))).not.toContain('current');

  const better = {
    'module-src-cart': `${lies}\n\n- Yes: [here](src/cart/add.ts#L1)\n- No\n\n[There](src/cart/add.ts#L4).`,
  };
  const { head: next, ...other } = await steered([submits(better)]);
  await other.order();
  expect((await other.settled(next))['note']).toBe(
    '4 statements of the prose had no link that holds, and were left out.',
  );
  expect((await other.page('module-src-cart'))['prose']).toBe(
    [
      `True: [\`addThing\`](src/cart/add.ts@${next}#L2).`,
      `True: it [returns](src/cart/add.ts@${next}#L3), not that, \\<b>bold\\</b> x \`https://evil.example.\``,
      '## A heading',
      `- Yes: [here](src/cart/add.ts@${next}#L1)`,
      `[There](src/cart/add.ts@${next}#L4).`,
    ].join('\n\n'),
  );
});

test('two requests at once start one session, and one after it starts none for what is current', async () => {
  const all = { overview: 'It [sells](README.md#L3).', architecture: 'It [adds](src/cart/add.ts#L3).' };
  const { repository, head, ...wiki } = await steered([
    submits({ 'module-src-cart': cartProse, 'module-src-pay': payProse, ...all }),
  ]);
  await Promise.all([wiki.order(), wiki.order(), wiki.order()]);
  const made = await wiki.settled(head);
  expect(Object.values(states(made)).filter((state) => state === 'current')).toHaveLength(3);
  expect(await sessionsOf(repository)).toHaveLength(1);
  expect(Object.keys(states(made)).length).toBeLessThan(mostPages);
  await wiki.order();
  await wiki.settled(head);
  // The top directory's page had no prose yet, if there is one.
  const left = Object.entries(states(await wiki.get())).filter(([, state]) => state === 'none');
  const wanted = left.filter(([slug]) => /^(?:module|page|overview|architecture)/.test(slug));
  expect(await sessionsOf(repository)).toHaveLength(wanted.length === 0 ? 1 : 2);
});

test('a session that is canceled, or submits nothing, leaves the prose that was there', async () => {
  const { repository, head, ...wiki } = await steered([submits({ 'module-src-cart': cartProse })]);
  await wiki.order();
  await wiki.settled(head);
  const before = (await wiki.page('module-src-cart'))['prose'];
  const idle = await push(repository, {
    'src/cart/add.ts': `\n${cart}`,
    '.guildhall/wiki.json': steeredBy([{ say: 'No.' }]),
  });
  await wiki.settled(idle);
  await wiki.order();
  const failed = await wiki.settled(idle);
  expect(failed['note']).toMatch(/^The session that was to write prose failed\. .*did not call submit_output/);
  expect((await wiki.page('module-src-cart'))['prose']).toBe(before);

  const slow = await push(repository, { '.guildhall/wiki.json': steeredBy([{ say: 'Late.', delay: 60_000 }]) });
  await wiki.settled(slow);
  await wiki.order();
  const id = await fixture.until(async () => String((await wiki.get())['prose_session_id']) || undefined, 'it writes');
  await fixture.api.call('POST', `${organization}/sessions/${id}/cancel`, { body: {} });
  expect((await wiki.settled(slow))['note']).toBe('The session that was to write prose was canceled.');
  expect((await wiki.page('module-src-cart'))['prose']).toBe(before);
});

/** A module for each of these directories: more than one session writes. */
const parts = Array.from({ length: mostPages + 4 }, (_, at) => `src/part${10 + at}`);
const manyFiles = Object.fromEntries(
  parts.flatMap((part) => Array.from({ length: 20 }, (_, at) => [`${part}/m${at}.ts`, `export const m = ${at};\n`])),
);
const last = `module-${parts.at(-1)?.replace('/', '-')}`;
/** A page of the first session, and one of the last. */
const firstAndLast = submits({ overview: 'It [sells](README.md#L3).', [last]: `It [is](${parts.at(-1)}/m0.ts#L1).` });

test('a large wiki is written by one session after another, and its pages count as storage', async () => {
  const { repository, head, ...wiki } = await steered([firstAndLast], manyFiles);
  const paused = await fixture.pauseWorkers();
  await wiki.order();
  const begun = await fixture.until(async () => {
    const now = await wiki.get();
    return now['prose_session_id'] === '' ? undefined : now;
  }, 'a session is to write');
  const wanted = Object.keys(states(begun)).filter((slug) => /^(?:module-|overview$|architecture$)/.test(slug));
  expect(wanted.length).toBeGreaterThan(mostPages);
  expect(begun['prose_left']).toBe(wanted.length);
  await paused.resume();
  const made = await wiki.settled(head);
  expect(made['prose_left']).toBe(0);
  expect(states(made)).toMatchObject({ overview: 'current', [last]: 'current' });
  const sessions: { prompt: string }[] = await sessionsOf(repository);
  expect(sessions).toHaveLength(Math.ceil(wanted.length / mostPages));
  // Each page is asked for once, also one whose prose was not written.
  for (const slug of wanted) expect(sessions.filter(({ prompt }) => prompt.includes(`\n${slug}: `))).toHaveLength(1);

  const { rows } = await fixture.api.ctx.db.pool.query<{ bytes: string }>(
    'select sum(octet_length(body) + octet_length(prose)) as bytes from wiki_pages',
  );
  const { json } = await fixture.api.call('GET', `${organization}/storage`);
  expect(Object(json['by_kind']).wikis).toBe(Number(rows[0]?.bytes));
});

test('no other session begins after one that wrote nothing that holds, or after the index was deleted', async () => {
  const useless = await steered([submits({ overview: 'All [`gone`](README.md#L1).' })], manyFiles);
  await useless.order();
  expect(await useless.settled(useless.head)).toMatchObject({
    note: 'The prose of overview was refused: its links do not hold.',
    prose_left: 0,
  });
  expect(await sessionsOf(useless.repository)).toHaveLength(1);

  const { repository, head, ...wiki } = await steered([firstAndLast], manyFiles);
  const paused = await fixture.pauseWorkers();
  await wiki.order();
  await fixture.until(async () => String((await wiki.get())['prose_session_id']) || undefined, 'a session is to write');
  const index = `${organization}/repositories/${repository.id}/index`;
  expect((await fixture.api.call('DELETE', index)).status).toBe(204);
  await paused.resume();
  const made = await wiki.settled(head);
  expect(made).toMatchObject({ note: 'No more prose is written: the index was deleted.', prose_left: 0 });
  expect(states(made)).toMatchObject({ overview: 'current', [last]: 'none' });
  expect(await sessionsOf(repository)).toHaveLength(1);
});

test('a member who left starts no session, and the wiki says so', async () => {
  const { repository, head, ...wiki } = await steered([submits({ overview: 'x' })]);
  const { db } = fixture.api.ctx;
  await wiki.order();
  await db.kysely
    .updateTable('wikis')
    .set({ requested_by: 'user:usr_gone' })
    .where('repository_id', '=', repository.id)
    .execute();
  expect((await wiki.settled(head))['note']).toContain('Who asked for the wiki may not start sessions any more.');
  expect(await sessionsOf(repository)).toEqual([]);
});

test('without the scope to start sessions a wiki is made, and no prose', async () => {
  const { repository, head, ...wiki } = await steered([submits({ overview: 'x' })]);
  expect((await wiki.order(await fixture.api.keyWith(['repos:write', 'repos:read']))).status).toBe(202);
  await wiki.settled(head);
  expect(await sessionsOf(repository)).toEqual([]);
});

test('a worker that is killed while its model writes loses nothing: another one finishes', async () => {
  await fixture.stopWorkers();
  const lost = await startWorkerProcess(fixture.api, fixture.api.url, environment);
  onTestFinished(() => lost.close());
  const { repository, head, ...wiki } = await steered([
    call('read_wiki', {}),
    { ...submits({ 'module-src-cart': cartProse }), fault: { hang: true } },
  ]);
  const before = model.requests.length;
  await wiki.order();
  await fixture.until(async () => model.requests.length > before + 1 || undefined, 'the model writes');
  await lost.close();
  await fixture.worker();
  expect(states(await wiki.settled(head))).toMatchObject({ 'module-src-cart': 'current' });
  expect(await sessionsOf(repository)).toMatchObject([{ status: 'completed', attempt_no: 2 }]);
});
