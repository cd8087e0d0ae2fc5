import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { createGitUser, withKey } from '../../../test/support/git.ts';
import { startIndexing } from '../repositories/code-index/jobs.ts';
import { startWikis } from '../wikis/jobs.ts';
import { lookInBothThemes } from './axe-fixture.ts';
import { createPerson, useConsoleBrowser } from './browser-fixture.ts';

const email = 'ada@example.com';
const files = {
  'README.md': '# Shop\n\nSells things.\n',
  'src/index.ts':
    "import { add } from './cart/add.ts';\nimport { pay } from './pay/pay.ts';\nexport const start = () => pay(add(1));\n",
  'src/cart/add.ts': '/** Adds a thing to the cart. */\nexport function add(id: number) {\n  return id;\n}\n',
  'src/cart/remove.ts': "import { add } from './add.ts';\nexport const remove = add;\n",
  'src/cart/total.ts': "import { add } from './add.ts';\nexport const total = add;\n",
  'src/pay/pay.ts': "import { add } from '../cart/add.ts';\nexport function pay(x = add(1)) {\n  return x;\n}\n",
  'src/pay/a.ts': 'export const a = 1;\n',
  'src/pay/b.ts': 'export const b = 1;\n',
  ...Object.fromEntries(
    Array.from({ length: 30 }, (_, at) => [`src/more/m${at}.ts`, `export const m${at} = ${at};\n`]),
  ),
};

let api: TestApi;
let id: string;
beforeAll(async () => {
  api = await startTestApi();
  startIndexing(api.ctx);
  startWikis(api.ctx);
  await createPerson(api, email, 'admin');
  const path = '/v3/organizations/default/repositories';
  const { json } = await api.call('POST', path, { body: { provider: 'local', repo: 'acme/shop' } });
  id = String(json['id']);
  const ada = await createGitUser();
  const url = withKey(String(json['clone_url']), api.adminKey);
  await ada.git(await ada.start(files), 'push', '-q', url, 'main');
  await ada.close();
});
afterAll(() => api.close());

describe('the wiki of a repository', () => {
  const browser = useConsoleBrowser(() => api);

  test('is made by one button; its pages are a tree, its links lead to code, and its diagram is drawn', async () => {
    const { page } = browser;
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await browser.signIn(`/console/default/repositories/${id}?tab=wiki`, email);
    const main = page.getByRole('main');
    await main.getByRole('button', { name: 'Make the wiki' }).click();
    const pages = main.getByRole('navigation', { name: 'Pages of the wiki' });
    await pages.getByRole('link').first().waitFor();
    await main.getByRole('region', { name: 'State of the wiki' }).getByText('Made', { exact: true }).waitFor();
    await main.getByRole('article').getByRole('heading').first().waitFor();
    expect(await lookInBothThemes(page, 'a wiki')).toEqual([]);
    await pages.getByRole('link', { name: 'Architecture' }).click();
    await page.waitForURL(/page=architecture/);
    const diagram = main.getByRole('img', { name: /leads to/ });
    await diagram.waitFor();
    expect(await diagram.locator('rect').count()).toBeGreaterThan(1);
    expect(await main.getByText('flowchart TD').count()).toBe(0);
    expect(await lookInBothThemes(page, 'a diagram')).toEqual([]);
    await main.getByRole('article').getByRole('link').first().click();
    await page.waitForURL(/tab=search/);
    await main.getByRole('region', { name: 'Results' }).waitFor();
  });

  test('shows prose above the facts, says what of it is stale, and which session writes', async () => {
    const { page } = browser;
    const db = api.ctx.db.kysely;
    const prose = {
      prose: '## How it works\n\nIt [sells](README.md@commit#L3) things.',
      prose_commit: 'c'.repeat(40),
      prose_at: new Date(),
      prose_blobs: ['of-another-time'],
    };
    await db
      .updateTable('wiki_pages')
      .set(prose)
      .where('repository_id', '=', id)
      .where('slug', '=', 'overview')
      .execute();
    await browser.signIn(`/console/default/repositories/${id}?tab=wiki`, email);
    const main = page.getByRole('main');
    const article = main.getByRole('article');
    await article.getByRole('heading', { name: 'How it works' }).waitFor();
    await article.getByText('The code has changed since this was written').waitFor();
    expect((await article.innerText()).indexOf('How it works')).toBeLessThan(
      (await article.innerText()).indexOf('Sells things.'),
    );
    await main.getByRole('link', { name: /stale$/ }).waitFor();
    const state = main.getByRole('region', { name: 'State of the wiki' });
    await state.getByText('The code changed since the prose of 1 page was written.').waitFor();
    expect(await lookInBothThemes(page, 'prose')).toEqual([]);
    await db.updateTable('wikis').set({ session_id: 'ses_1' }).where('repository_id', '=', id).execute();
    await page.reload();
    expect(await state.getByRole('link', { name: 'A session' }).getAttribute('href')).toBe(
      '/console/default/sessions/ses_1',
    );
    await db.updateTable('wikis').set({ session_id: '' }).where('repository_id', '=', id).execute();
    await state.getByRole('link', { name: 'A session' }).waitFor({ state: 'detached' });
  });
});
