import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { createPerson, useConsoleBrowser } from './browser-fixture.ts';
import { keepFile, makeSession, picture, talk } from './made-session-fixture.ts';

const email = 'reader@example.com';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  await createPerson(api, email, 'admin');
});
afterAll(() => api.close());

const addressOf = (id: string, rest = '') => `/console/default/sessions/${id}${rest}`;

/** Returns the number of the first call from an event on that is the second of its step. */
async function hiddenCall(id: string, from: number): Promise<number> {
  const query = `kind=tool_call&after_seq=${from - 1}&first=2`;
  const { json } = await api.call('GET', `/v3/organizations/default/sessions/${id}/events?${query}`);
  const items: unknown = json['items'];
  const calls = Array.isArray(items) ? items : [];
  return Number(calls.find(({ data }) => data.name === 'search')?.seq);
}

describe('the log of a session', () => {
  const browser = useConsoleBrowser(() => api);
  const log = () => browser.page.getByRole('region', { name: 'Log' });
  const scroller = () => log().locator('ol').locator('..');

  /** Returns the text and the place of the first row that begins in view. */
  const placeOfTop = () =>
    scroller().evaluate((element) => {
      const { top } = element.getBoundingClientRect();
      const rows = [...element.querySelectorAll('li')].map((row) => ({
        seq: row.dataset['seq'] ?? '',
        y: Math.round(row.getBoundingClientRect().top - top),
      }));
      return rows.filter(({ y }) => y >= 0).toSorted((a, b) => a.y - b.y)[0];
    });
  const placeOf = (seq: string) =>
    scroller().evaluate((element, wanted) => {
      const row = element.querySelector(`li[data-seq="${wanted}"]`);
      return row === null
        ? undefined
        : Math.round(row.getBoundingClientRect().top - element.getBoundingClientRect().top);
    }, seq);

  /** Returns what `placeOfTop` does as soon as nothing moves: a busy browser goes on scrolling for a while. */
  const restingPlace = async () => {
    let found = await placeOfTop();
    await expect
      .poll(async () => {
        const earlier = found;
        await browser.page.waitForTimeout(400);
        found = await placeOfTop();
        return isDeepStrictEqual(found, earlier);
      })
      .toBe(true);
    if (found === undefined) throw new Error('nothing is in view');
    return found;
  };

  test('a reader of 20,000 events keeps their place whatever happens, and after a reload', async () => {
    const made = await makeSession(api, 'Long');
    await talk(api, made, 0, 3_900);
    for (let at = 3_900; at < 4_000; at += 5) {
      await talk(api, made, at, 5);
      await keepFile(api, made.run, `after-${at}.svg`, 'image/svg+xml', picture);
    }
    await browser.signIn('/console/default/sessions', email);
    const { page } = browser;
    const pictures = Promise.withResolvers<void>();
    await page.route('**/artifacts/*', async (route) => {
      await pictures.promise;
      await route.continue();
    });
    await page.goto(`${api.url}${addressOf(made.id)}`);
    await log().getByText('Message 3999.').waitFor();
    await scroller().hover();
    for (let step = 0; step < 6; step += 1) {
      await page.mouse.wheel(0, -1_500);
      await page.waitForTimeout(60);
    }
    await log().getByRole('button', { name: 'Jump to latest' }).waitFor();
    const before = await restingPlace();
    expect(await log().locator('li').count()).toBeLessThan(80);

    // Pictures load, steps above and below open, more arrives: the line that is read stays where it is.
    const drawn = log().locator('img:not([src=""])').first();
    await drawn.waitFor();
    pictures.resolve();
    await expect.poll(() => drawn.evaluate((image) => 'naturalWidth' in image && image.naturalWidth)).toBe(60);
    expect(await placeOf(before.seq)).toBe(before.y);
    const step = log().locator(`li[data-seq="${before.seq}"] ~ li`).getByRole('button', { name: /^Read/ }).first();
    await step.click();
    await log().getByText('x.ts').first().waitFor();
    expect(await placeOf(before.seq)).toBe(before.y);
    for (let at = 0; at < 5; at += 1) await talk(api, made, 5_000 + at * 20, 20);
    await log()
      .getByRole('button', { name: /^↓ \d.* new · Jump to latest/ })
      .waitFor();
    expect(await placeOf(before.seq)).toBe(before.y);

    await page.reload();
    await expect.poll(() => placeOf(before.seq), { timeout: 20_000 }).toBe(before.y);
    expect(await restingPlace()).toEqual(before);
    await log().getByRole('button', { name: 'Jump to latest' }).click();
    await log().getByText('Message 5099.').waitFor();
    await talk(api, made, 6_000, 5);
    await log().getByText('Message 6004.').waitFor();
    expect(await log().getByRole('button', { name: 'Jump to latest' }).count()).toBe(0);

    // A link leads far back, into a step that is closed.
    const hidden = await hiddenCall(made.id, 777);
    await page.goto(`${api.url}${addressOf(made.id, `#e${hidden}`)}`);
    const marked = log().locator(`li[data-seq="${hidden}"] > .bg-accent-soft`);
    await marked.waitFor();
    await marked.waitFor({ state: 'detached' });
    await log().locator(`li[data-seq="${hidden}"]`).waitFor();
  });

  test('a link to an event opens what hides it, and a search finds what is not loaded', async () => {
    const made = await makeSession(api, 'Linked');
    await talk(api, made, 0, 400);
    const { json } = await api.call(
      'GET',
      `/v3/organizations/default/sessions/${made.id}/events?kind=tool_result&first=200`,
    );
    const items: unknown = json['items'];
    const seq = Array.isArray(items) ? Number(items[151]?.seq) : 0;
    await browser.signIn(addressOf(made.id, `#e${seq}`), email);
    // The call is the second of its step, which is closed at first.
    await log()
      .locator(`li[data-seq="${seq - 1}"]`)
      .waitFor();
    const { height = 0 } = (await scroller().boundingBox()) ?? {};
    // The field below may grow by a line after the log was placed.
    await expect.poll(async () => Math.abs(((await placeOf(String(seq - 1))) ?? 0) - height / 3)).toBeLessThan(20);
    await browser.page.keyboard.press('/');
    await log().getByRole('searchbox', { name: 'Find in the log' }).fill('message 388.');
    await browser.page.keyboard.press('Enter');
    await log().getByText('Message 388.').waitFor();
    await browser.page.waitForURL(/find=message/);
    await log().getByText('1 of 1').waitFor();
  });

  test('of a log whose beginning is no longer kept, the rest is shown', async () => {
    const made = await makeSession(api, 'Kept in part');
    await talk(api, made, 0, 120);
    await api.ctx.db.pool.query('delete from session_events where session_id = $1 and seq <= 300', [made.id]);
    await browser.signIn(addressOf(made.id, '#e10'), email);
    await log().getByText('Earlier events are no longer kept.').waitFor();
    await log()
      .getByText(/^Message \d+\./)
      .first()
      .waitFor();
  });
});
