import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { startLine, type Line } from '../../../test/support/line.ts';
import { append, finish } from '../sessions/run/run-service.ts';
import { createPerson, useConsoleBrowser } from './browser-fixture.ts';
import { askForPlan, makeSession, sayingOf, type MadeSession } from './made-session-fixture.ts';

const email = 'line@example.com';

let api: TestApi;
let line: Line;
beforeAll(async () => {
  api = await startTestApi();
  line = await startLine(api.url);
  await createPerson(api, email, 'admin');
});
beforeEach(() => line.mend());
afterAll(async () => {
  await line.close();
  await api.close();
});

const addressOf = ({ id }: MadeSession) => `${line.url}/console/default/sessions/${id}`;

/** Appends messages: each is one event, and one row. */
async function say({ run }: MadeSession, from: number, count: number): Promise<void> {
  const numbers = Array.from({ length: count }, (_, at) => from + at);
  await append(
    api.ctx,
    run,
    numbers.map((n) => sayingOf(`m${n}`, `Message ${n}.`)),
  );
}

/** Lets a session wait for a person. */
async function ask({ run }: MadeSession): Promise<void> {
  await askForPlan(api, run, '1. Drop the index');
  const waits = { status: 'waiting', status_detail: 'awaiting_approval', sandbox_state: 'paused' } as const;
  await finish(api.ctx, run, { ...waits, sandboxSeconds: 1 });
}

const logOf = (page: Page) => page.getByRole('region', { name: 'Log' });

/** Returns the numbers of the messages that are drawn, from the top. */
async function drawn(log: Locator): Promise<number[]> {
  const texts = await log
    .locator('ol > li')
    .evaluateAll((rows) =>
      rows.toSorted((a, b) => Number(a.dataset['index']) - Number(b.dataset['index'])).map((row) => row.textContent),
    );
  return texts.flatMap((text) => {
    const [, number] = /Message (\d+)\./.exec(text) ?? [];
    return number === undefined ? [] : [Number(number)];
  });
}

/** Scrolls to a message, and expects every one on the way right behind the one before it. */
async function readTo(page: Page, wanted: number, by: number): Promise<void> {
  const log = logOf(page);
  await log.locator('ol').hover();
  await expect
    .poll(async () => {
      const numbers = await drawn(log);
      const first = numbers[0] ?? 0;
      expect(numbers).toEqual(numbers.map((_, at) => first + at));
      if (!numbers.includes(wanted)) await page.mouse.wheel(0, by);
      return numbers.includes(wanted);
    })
    .toBe(true);
}

describe('over a bad line', () => {
  const browser = useConsoleBrowser(() => api);
  const slow = { latencyMs: 300, bytesPerSecond: 50_000 };

  test('a reader is told that the connection is lost, misses nothing, and sees nothing twice', async () => {
    const made = await makeSession(api, 'Read on a train');
    await say(made, 0, 40);
    await browser.signIn('/console/default/sessions', email);
    const { page } = browser;
    const context = page.context();
    await page.goto(addressOf(made));
    const log = logOf(page);
    const lost = log.getByText('Reconnecting. Lost for');
    await log.getByText('Message 39.').waitFor();

    // The network goes, and with it the connections: nobody ends them.
    line.swallow();
    await context.setOffline(true);
    await lost.waitFor();
    await page.getByText('Reconnecting. What you see may be old.').waitFor();
    await say(made, 40, 60);
    line.mend(slow);
    await context.setOffline(false);
    await log.getByText('Message 99.').waitFor();
    await lost.waitFor({ state: 'detached' });
    await page.getByText('Reconnecting. What you see may be old.').waitFor({ state: 'detached' });
    await say(made, 100, 1);
    await log.getByText('Message 100.').waitFor();
    await readTo(page, 0, -500);

    // Who reads further up while a server is away, and more happens than is worth a replay, misses nothing either.
    line.cut();
    await context.setOffline(true);
    await lost.waitFor();
    await say(made, 101, 550);
    line.mend();
    await context.setOffline(false);
    await lost.waitFor({ state: 'detached' });
    // Everything of the part that was loaded in part, and of the next one.
    await readTo(page, 350, 800);
    await log.getByRole('button', { name: 'Jump to latest' }).click();
    await say(made, 651, 1);
    await log.getByText('Message 651.').waitFor();

    line.cut();
    line.mend(slow);
    await page.goto(`${line.url}/console/default/sessions`);
    await page.getByRole('link', { name: 'Read on a train' }).first().waitFor();
    line.mend();
  });

  test('a log that could not be read is read once the network is back', async () => {
    const made = await makeSession(api, 'Begun in a tunnel');
    await say(made, 0, 3);
    await browser.signIn('/console/default/sessions', email);
    const { page } = browser;
    const events = /\/sessions\/[^/]+\/events/;
    await page.route(events, (route) => route.abort('internetdisconnected'));
    await page.goto(addressOf(made));
    await page.getByText('Guildhall cannot be reached').waitFor();
    await page.unroute(events);
    await page.context().setOffline(true);
    await page.context().setOffline(false);
    await page.getByText('Message 2.').waitFor();
    expect(await page.getByText('Guildhall cannot be reached').count()).toBe(0);
  });

  test('what a person does without a network fails at once, and keeps what was entered', async () => {
    const { json } = await api.call('POST', '/v3/organizations/default/groups', { body: { name: 'Travellers' } });
    const at = `/v3/organizations/default/groups/${String(json['id'])}`;
    await browser.signIn(`/console/default/groups/${String(json['id'])}`, email);
    const { page } = browser;
    const description = page.getByLabel('Description');
    await description.fill('On a train');
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('alert').getByText('Check your connection, and try again.').waitFor();
    expect(await description.inputValue()).toBe('On a train');
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved.', { exact: true }).first().waitFor();
    expect((await api.call('GET', at)).json['description']).toBe('On a train');
  });

  test('a page whose code does not arrive says so, and leaves the others', async () => {
    await browser.signIn('/console/default/sessions', email);
    const { page } = browser;
    await page.getByRole('heading', { level: 1, name: 'Sessions' }).waitFor();
    let isCut = true;
    let looks = 0;
    page.on('requestfailed', (request) => (looks += request.url().endsWith('/console/') ? 1 : 0));
    await page.route(/\/console\/(-\/assets\/IpAccess|$)/, (route) =>
      isCut ? route.abort('internetdisconnected') : route.continue(),
    );
    const navigation = page.getByRole('navigation', { name: 'Organization' });
    await navigation.getByRole('link', { name: 'Access list' }).click();
    await page.getByText('This page could not be shown').waitFor();
    await navigation.getByRole('link', { name: 'Members' }).click();
    await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor();
    await navigation.getByRole('link', { name: 'Access list' }).click();
    await page.getByText('This page could not be shown').waitFor();
    // Each time, the console looks for the server.
    await expect.poll(() => looks).toBe(2);
    isCut = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { level: 1, name: /Access list/ }).waitFor();
  });

  test('eight tabs over six connections all load and stay current, whichever of them is closed', async () => {
    const sessions: MadeSession[] = [];
    for (let n = 0; n < 8; n += 1) sessions.push(await makeSession(api, `Tab ${n}`));
    const { page } = browser;
    // Chromium without a screen takes every page for a visible one.
    await page.context().addInitScript(`{
      let isHidden = false;
      Object.defineProperty(document, 'hidden', { get: () => isHidden });
      Object.defineProperty(document, 'visibilityState', { get: () => (isHidden ? 'hidden' : 'visible') });
      addEventListener('test-look', ({ detail }) => {
        isHidden = !detail;
        document.dispatchEvent(new Event('visibilitychange'));
      });
    }`);
    const look = (tab: Page, isSeen: boolean) =>
      tab.evaluate(`dispatchEvent(new CustomEvent('test-look', { detail: ${isSeen} }))`);
    await browser.signIn('/console/default/sessions', email);
    const tabs: Page[] = [];
    for (const [n, made] of sessions.entries()) {
      for (const tab of tabs.slice(-1)) await look(tab, false);
      const tab = n === 0 ? page : await browser.tab();
      tabs.push(tab);
      await tab.goto(addressOf(made));
      await logOf(tab).getByText('Now the tests pass.').waitFor();
    }
    const [first, , , fourth] = sessions;
    const [last, seen] = [sessions.at(-1), tabs.at(-1)];
    if (first === undefined || fourth === undefined || last === undefined || seen === undefined)
      throw new Error('none');
    await say(last, 0, 3);
    await logOf(seen).getByText('Message 2.').waitFor();

    const titles = (open: Page[]) => Promise.all(open.map(async (tab) => (await tab.title()).split(' ')[0]));
    await ask(first);
    await expect.poll(() => titles(tabs)).toEqual(tabs.map(() => '(1)'));
    // The first tab started what all of them share.
    await page.close();
    const rest = tabs.slice(1);
    await ask(last);
    await expect.poll(() => titles(rest)).toEqual(rest.map(() => '(2)'));

    const back = tabs[3];
    if (back === undefined) throw new Error('no such tab');
    await say(fourth, 0, 3);
    await look(seen, false);
    await look(back, true);
    await logOf(back).getByText('Message 2.').waitFor();
    await say(fourth, 3, 1);
    await logOf(back).getByText('Message 3.').waitFor();
  });
});
