import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect } from '../../../test/support/mcp.ts';
import { createWikiFixture, type WikiFixture } from './wikis-fixture.ts';

const within = { timeout: 120_000, interval: 200 };
const repositories = '/v3/organizations/default/repositories';
let fixture: WikiFixture;
let api: WikiFixture['api'];
let ada: WikiFixture['ada'];

beforeAll(async () => {
  fixture = await createWikiFixture();
  ({ api, ada } = fixture);
});
afterAll(() => fixture.close());

async function host(repo: string, files: Record<string, string>) {
  const work = await ada.start(files);
  const { path, url, get } = await fixture.host(repo, work);
  const wiki = () => get('wiki');
  const head = () => ada.git(work, 'rev-parse', 'HEAD');
  return {
    path,
    wiki,
    head,
    async push(changed: Record<string, string>) {
      await ada.commit(work, changed);
      await ada.git(work, 'push', '-q', url, 'main');
    },
    async ready() {
      const commit = await head();
      const state = async () => `${String((await wiki())['state'])} ${String((await wiki())['commit'])}`;
      await expect.poll(state, within).toBe(`ready ${commit}`);
    },
    async page(slug: string) {
      const { status, json: page } = await api.call('GET', `${path}/wiki/pages/${slug}`);
      expect(status, JSON.stringify(page)).toBe(200);
      return { ...page, body: String(page['body']) };
    },
    /** Every link of a page, with the line that it names. */
    async cited(body: string) {
      const commit = await head();
      const links = [...body.matchAll(/\]\(([^()\s]+)@([0-9a-f]{40})#L(\d+)\)/g)];
      const found: string[] = [];
      for (const [, file = '', at, line] of links) {
        expect(at).toBe(commit);
        const text = await ada.git(work, 'show', `${commit}:${decodeURIComponent(file)}`);
        found.push(text.split('\n')[Number(line) - 1] ?? 'there is no such line');
      }
      return found;
    },
  };
}

const shop = {
  'README.md':
    '# Shop\n\n<img src="logo.svg"\n  width="650">\n\n[![The\nbuild](https://x.example/b.svg)](https://x.example)\n\nSells **things** [fast\nnow](https://x.example).\n\n## Setup\n\nNot this.\n',
  'package.json':
    '{\n  "name": "shop",\n  "main": "src/index.ts",\n  "license": "MIT",\n  "scripts": {\n    "test": "vitest"\n  }\n}\n',
  LICENSE: 'MIT License\n',
  CODEOWNERS: '* @acme/all\n/src/cart/ @acme/cart\n',
  '.github/workflows/ci.yml': 'jobs:\n  test:\n    steps:\n      - run: npm test\n',
  'migrations/1.sql': 'create table orders (\n  id text\n);\n',
  'src/index.ts':
    "import { add } from './cart/add.ts';\nimport { pay } from './pay/pay.ts';\napp.get('/orders/:id', () => pay(add(1)));\n",
  'src/cart/add.ts': '/** Adds a thing to the cart. */\nexport function add(id: number) {\n  return id;\n}\n',
  'src/cart/remove.ts': "import { add } from './add.ts';\nexport const remove = add;\n",
  'src/cart/total.ts': "import { add } from './add.ts';\nexport const total = add;\n",
  'src/cart/add.test.ts': "import { add } from './add.ts';\nadd(1);\n",
  'src/pay/pay.ts':
    "import { add } from '../cart/add.ts';\nimport stripe from 'stripe';\nexport function pay(x = add(1)) {\n  return process.env.STRIPE_KEY;\n}\n",
  'src/pay/a.ts': 'export const a = 1;\n',
  'src/pay/b.ts': 'export const b = 1;\n',
  ...Object.fromEntries(
    Array.from({ length: 30 }, (_, at) => [`src/more/m${at}.ts`, `export const m${at} = ${at};\n`]),
  ),
};

test('a wiki says what is in the repository, each statement with its line, and a push updates it', async () => {
  const repository = await host('acme/shop', shop);
  expect(await repository.wiki()).toMatchObject({ state: 'none', commit: '', generated_at: null, pages: [] });
  const ordered = await api.call('POST', `${repository.path}/wiki/regenerate`, {});
  expect([ordered.status, ordered.json['state']]).toEqual([202, 'queued']);
  await repository.ready();
  const { pages } = await repository.wiki();
  const slugs = Object(pages).map(({ slug }: { slug: string }) => slug);
  expect(slugs.slice(0, 6)).toEqual([
    'overview',
    'architecture',
    'commands',
    'configuration',
    'interfaces',
    'activity',
  ]);
  expect(slugs).toContain('module-src-cart');

  const overview = await repository.page('overview');
  expect(overview).toMatchObject({ title: 'Shop', summary: 'Sells things fast now.', prose_state: 'none', prose: '' });
  expect(overview.body).not.toContain('Not this');
  expect(await repository.cited(overview.body)).toEqual(
    expect.arrayContaining(['Sells **things** [fast', 'MIT License', '  "main": "src/index.ts",']),
  );

  const cart = await repository.page('module-src-cart');
  expect(cart.body).toContain('`function add(id: number)`');
  expect(cart.body).toContain('function: Adds a thing to the cart.');
  expect(cart.body).toMatch(/## Used by\n\n(?:- .*\n)*- \[`src\/pay`\]/);
  const lines = await repository.cited(cart.body);
  expect(lines).toEqual(
    expect.arrayContaining([
      'export function add(id: number) {',
      '/src/cart/ @acme/cart',
      "import { add } from '../cart/add.ts';",
    ]),
  );
  expect(lines).not.toContain('there is no such line');

  expect((await repository.page('architecture')).body).toMatch(/flowchart TD[^`]*n\d\["src\/cart"\][^`]* --> n/);
  expect(await repository.cited((await repository.page('commands')).body)).toEqual([
    '    "test": "vitest"',
    '      - run: npm test',
  ]);
  expect((await repository.page('configuration')).body).toContain('`STRIPE_KEY`');
  const interfaces = (await repository.page('interfaces')).body;
  expect(interfaces).toContain('`GET /orders/:id`');
  expect(await repository.cited(interfaces)).toContain('create table orders (');
  expect((await repository.page('activity')).body).toContain('Recent changes');

  await repository.push({
    'src/cart/add.ts': '/** Puts it in. */\nexport function put(id: number) {\n  return id;\n}\n',
  });
  await repository.ready();
  const after = await repository.page('module-src-cart');
  expect(after.body).toContain('Puts it in.');
  expect(after.body).not.toContain('Adds a thing');
  expect((await api.call('GET', `${repository.path}/wiki/pages/nowhere`)).json['error']).toBe('wiki_page_not_found');
});

test('names and texts of a repository stay text, and no line costs the wiki', async () => {
  const repository = await host('acme/hostile', {
    'README.md': `# <img src=x onerror=alert(1)>\n\n<script>alert(1)</script> ![x](javascript:alert(1)) [y](javascript:alert(2)) \`a\` | \u202e\n`,
    'a](javascript:alert(3)).ts':
      '/** <b onclick="x()">bold</b> [z](javascript:alert(4)) `` | # */\nexport function a() {}\n',
    [`${'d/'.repeat(60)}deep.ts`]: 'export const deep = 1;\n',
    'package.json': '[{"name":',
    '.guildhall/wiki.json': '{"pages": 1}',
    Makefile: `build: ${'x'.repeat(100_000)}\n\techo\n`,
    'long.sql': `create table ${'x'.repeat(200_000)}\n`,
    'graph.ts': "import './a](javascript:alert(3)).ts';\n",
    'sub/"]-->x["y.ts': "import '../graph.ts';\n",
  });
  await api.call('POST', `${repository.path}/wiki/regenerate`, {});
  await repository.ready();
  const wiki = await repository.wiki();
  expect(wiki['note']).toContain('.guildhall/wiki.json is not used');
  for (const { slug } of Object(wiki['pages'])) {
    const { body } = await repository.page(slug);
    const outside = body.replaceAll(/`[^`\n]*`/g, '');
    expect(outside).not.toMatch(/(?<!\\)<\w|(?<!\\)\]\(\s*javascript/);
    expect(outside).not.toContain('\u202e');
    expect(body.length).toBeLessThan(120_000);
    expect(await repository.cited(body)).not.toContain('there is no such line');
  }
});

test('a steering file leaves out directories and asks for pages', async () => {
  const repository = await host('acme/steered', {
    ...shop,
    '.devin/wiki.json': JSON.stringify({
      pages: [{ title: 'Paying', purpose: 'How customers pay.', paths: ['src/pay'] }],
    }),
    'README.md': '# my_shop & `co`\n\nSells *things*, __all__ by `__sell__` and sell\\_it.\n',
    '.guildhall/wiki.json': JSON.stringify({
      exclude: ['src/more'],
      pages: [{ title: 'Money in $', purpose: 'How customers pay.', paths: ['src'] }],
    }),
  });
  await api.call('POST', `${repository.path}/wiki/regenerate`, {});
  await repository.ready();
  const { pages } = await repository.wiki();
  const titles = Object(pages).map(({ title }: { title: string }) => title);
  expect(Object(pages)[0].summary).toBe(String.raw`Sells things, all by \_\_sell\_\_ and sell\_it.`);
  // A title is no Markdown.
  expect(titles[0]).toBe('my_shop & co');
  expect(titles).toContain('Money in $');
  expect(titles).not.toContain('Paying');
  expect(titles).not.toContain('src/more');
  expect((await repository.page('page-money-in')).body).toContain('How customers pay.');
});

test('a repository without commits has a wiki that failed with the remedy', async () => {
  const { json } = await api.call('POST', repositories, { body: { provider: 'local', repo: 'acme/none' } });
  const path = `${repositories}/${String(json['id'])}`;
  await api.call('POST', `${path}/wiki/regenerate`, {});
  await expect
    .poll(async () => (await api.call('GET', `${path}/wiki`)).json, within)
    .toMatchObject({ state: 'failed', error: 'Its index failed: The repository has no branch "main". Push it first.' });
});

test('agents read wikis and search code over MCP, and find nothing of another organization', async () => {
  const repository = await host('acme/read', shop);
  await api.call('POST', `${repository.path}/wiki/regenerate`, {});
  await repository.ready();
  const client = await connect(api.url, api.adminKey);
  const listed = await client.call('read_wiki', { repo: 'acme/read' });
  expect(listed.text).toContain('module-src-cart: src/cart.');
  const page = await client.call('read_wiki', { repo: 'acme/read', page: 'module-src-cart' });
  expect(page.text).toContain('Adds a thing to the cart.');
  expect((await client.call('find_symbol', { repo: 'acme/read', name: 'add' })).text).toContain(
    'src/cart/add.ts:2: export function add',
  );
  expect((await client.call('search_code', { repo: 'acme/read', query: 'STRIPE_KEY' })).text).toContain(
    'src/pay/pay.ts:4',
  );
  expect((await client.call('search_code', { repo: 'acme/read', query: 'pay', kind: 'path' })).text).toContain(
    'src/pay/pay.ts',
  );
  expect((await client.call('read_wiki', { repo: 'acme/read', page: 'nowhere' })).error).toBe('wiki_page_not_found');
  const blind = await connect(api.url, await api.keyWith(['run']));
  const other = await connect(api.url, (await api.createOrganization('Elsewhere')).key);
  for (const [name, input] of [
    ['read_wiki', {}],
    ['find_symbol', { name: 'add' }],
    ['search_code', { query: 'add' }],
  ] as const) {
    const errors = [other, blind].map(async (one) => (await one.call(name, { repo: 'acme/read', ...input })).error);
    expect([name, ...(await Promise.all(errors))]).toEqual([name, 'repository_not_found', 'forbidden']);
  }
  await blind.close();
  await client.close();
  await other.close();
});
