import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { start } from '../../../test/support/session-states.ts';
import { append, finish, type RunEnd } from '../sessions/run/run-service.ts';
import { createPerson, useConsoleBrowser } from './browser-fixture.ts';
import { sayingOf } from './made-session-fixture.ts';
import { problemsOf } from './screens-fixture.ts';

const email = 'phone@example.com';
const base = '/v3/organizations/default';
const question = 'Should old invoices take the currency of their customer?';
const plan = '1. Delete the old page\n2. Redirect to the new one';

/** The heights of a phone's screen, and of what its keyboard leaves. */
const heights = { open: 844, keyboard: 508 } as const;
const widthPx = 390;

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  await createPerson(api, email, 'member');
});
afterAll(() => api.close());

/** Creates a session that stops and waits for a person. */
async function waiting(prompt: string, end: Partial<RunEnd>, says = ''): Promise<string> {
  const approval = { require_plan_approval: end.plan !== undefined };
  const { json } = await api.call('POST', `${base}/sessions`, { body: { prompt, ...approval } });
  const id = String(json['id']);
  const run = await start(api, id);
  if (says !== '') await append(api.ctx, run, [sayingOf('asks', says)]);
  const stop = {
    status: 'waiting',
    status_detail: 'awaiting_user',
    sandbox_state: 'paused',
    sandboxSeconds: 1,
  } as const;
  await finish(api.ctx, run, { ...stop, ...end });
  return id;
}

describe('on a phone', () => {
  const browser = useConsoleBrowser(() => api);

  test('from what needs a person to an answer with a photo, and to an approved plan, by thumb', async () => {
    const asking = await waiting('Give every invoice a currency', {}, question);
    const planned = await waiting(`Drop the ${'old '.repeat(12)}sign-in`, { status_detail: 'awaiting_approval', plan });
    const viewport = { width: widthPx, height: heights.open };
    const page = await browser.another({ viewport, hasTouch: true, isMobile: true, reducedMotion: 'reduce' });
    const fits = async (where: string) => expect([where, ...(await problemsOf(page))]).toEqual([where]);
    await browser.signIn('/console/default/sessions', email, page);
    const board = page.getByRole('region', { name: 'Needs you' });
    await board.getByText(question).or(board.getByText('Give every invoice a currency')).first().waitFor();
    await expect.poll(() => page.title()).toMatch(/^\(2\)/);
    await fits('board');
    const title = board.getByRole('link', { name: 'Give every invoice a currency' });
    expect((await title.boundingBox())?.height).toBeLessThan(30);

    await board.getByRole('link', { name: 'Answer', exact: true }).tap();
    await page.waitForURL(new RegExp(asking));
    const log = page.getByRole('region', { name: 'Log' });
    await log.getByText('Your answer', { exact: true }).waitFor();
    expect(await log.getByText(question).count()).toBe(1);
    await fits('session');
    const field = page.getByRole('textbox', { name: 'Message', exact: true });
    await field.tap();
    await page.setViewportSize({ width: widthPx, height: heights.keyboard });
    await field.fill('Yes, that of the customer.');
    await page
      .getByLabel('Files to attach')
      .setInputFiles({ name: 'whiteboard.jpg', mimeType: 'image/jpeg', buffer: Buffer.from([0xff, 0xd8, 0xff, 0xd9]) });
    await page.getByRole('button', { name: 'Remove whiteboard.jpg' }).waitFor();
    await fits('session with the keyboard');
    const send = page.getByRole('button', { name: 'Send', exact: true });
    for (const shown of [field, send, page.getByRole('heading', { level: 1 })]) await isInView(page, shown);
    await send.tap();
    await page.getByRole('region', { name: 'Log' }).getByText('Yes, that of the customer.').waitFor();
    await page.setViewportSize(viewport);
    const newest = async () => Object((await api.call('GET', `${base}/sessions/${asking}/messages`)).json).items.at(-1);
    await expect
      .poll(newest)
      .toMatchObject({ content: 'Yes, that of the customer.', attachment_ids: [expect.stringMatching(/^att_/)] });

    await page.getByRole('link', { name: 'All sessions' }).tap();
    await expect.poll(() => page.title()).toMatch(/^\(1\)/);
    await board.getByRole('link', { name: 'Look' }).tap();
    await page.waitForURL(new RegExp(planned));
    await page.getByRole('tab', { name: 'Plan' }).tap();
    await page.getByRole('tabpanel').getByText('Redirect to the new one').waitFor();
    await fits('plan');
    await page.getByRole('group', { name: 'Approval' }).getByRole('button', { name: 'Approve' }).tap();
    await page.getByRole('group', { name: 'Decision' }).getByText('Approved').waitFor();
    await expect.poll(() => page.title()).not.toMatch(/^\(/);
    await page.getByRole('button', { name: 'More about this session' }).tap();
    await page.getByRole('menuitem', { name: 'Rename' }).waitFor();
    await fits('menu');
    await page.goto(`${api.url}/console/default/sessions?view=table`);
    const row = page.getByRole('link', { name: 'Give every invoice a currency' });
    await row.waitFor();
    await fits('table');
    // Beside the box to select it, the row belongs to the title.
    expect((await row.boundingBox())?.x).toBeLessThan(90);
    const states = page.getByRole('group', { name: 'State' });
    expect((await states.boundingBox())?.width).toBeGreaterThan(widthPx - 40);
  });
});

/** Expects that something stands wholly within what the keyboard leaves of the screen. */
async function isInView(page: Page, what: ReturnType<Page['getByRole']>): Promise<void> {
  await expect
    .poll(async () => {
      const box = await what.boundingBox();
      return box !== null && box.y >= 0 && box.y + box.height <= (page.viewportSize()?.height ?? 0);
    })
    .toBe(true);
}
