import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { claim as claimRun, newAutomation } from '../../../test/support/automations.ts';
import { withinOneDay } from '../../../test/support/day.ts';
import { openReceiver } from '../../../test/support/receiver.ts';
import { rollUpAll } from '../../../test/support/rollups.ts';
import { start } from '../../../test/support/session-states.ts';
import { reserveCall, settleCall } from '../sessions/run/model-service.ts';
import { lookInBothThemes } from './axe-fixture.ts';
import { createPerson, useConsoleBrowser } from './browser-fixture.ts';

const organization = '/v3/organizations/default';
const [ada, admin, viewer] = ['ada@example.com', 'admin@example.com', 'viewer@example.com'];

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ GUILDHALL_EGRESS_ALLOW: 'webhook=127.0.0.1/32' });
  await createPerson(api, ada, 'member');
  await createPerson(api, admin, 'admin');
  await createPerson(api, viewer, 'viewer');
});
afterAll(() => api.close());

/** Calls a model in a new session, as a worker does; returns the session's id. */
async function useModel(body: object, costUsd: number): Promise<string> {
  const { json } = await api.call('POST', `${organization}/sessions`, { body: { prompt: 'Use it', ...body } });
  const id = String(json['id']);
  const run = await start(api, id);
  const price = { input: 1e-6, output: 2e-6 };
  const permitted = await reserveCall(api.ctx, run, { inputTokens: 100, maxOutputTokens: 100, price });
  if (permitted.outcome !== 'reserved') throw new Error(permitted.outcome);
  const tokens = { inputTokens: 1_200, outputTokens: 300, cachedInputTokens: 40, cacheWriteTokens: 10 };
  await settleCall(api.ctx, run, permitted, { ...tokens, model: 'p/m', costUsd, priceSource: 'published' });
  await rollUpAll(api.ctx);
  return id;
}

/** Claims the run that waits, and reports how its attempt ended, as a program of the organization's own does. */
async function endAttempt(report: object, whileRunning?: () => Promise<void>): Promise<void> {
  const attempt = await claimRun(api);
  await whileRunning?.();
  const body = { fencing_token: attempt?.fencing_token, attempt_no: attempt?.attempt_no, ...report };
  const { status } = await api.call('POST', `/automations/runs/${String(attempt?.id)}/callback`, { body });
  expect(status).toBe(200);
}

describe('in a browser', () => {
  const browser = useConsoleBrowser(() => api);
  let page: Page;
  beforeEach(() => {
    page = browser.page;
  });
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });

  test('an automation begins as an example, shows its next times over a change of the clocks, and what came of its runs', async () => {
    await browser.signIn('/console/default/automations', ada);
    await page.getByText('There are none yet.').waitFor();
    await page.getByRole('link', { name: /^Start with: Update the dependencies/ }).click();
    await page.getByLabel('Name', { exact: true }).fill('Nightly');
    await button('weekday mornings').click();
    await page.getByText('At 07:00, Monday through Friday').waitFor();
    expect(await page.getByLabel('Cron expression').inputValue()).toBe('0 7 * * 1-5');
    await page.getByLabel('Cron expression').fill('30 2 15 */2 *');
    await page.getByLabel('Time zone').fill('Europe/Berlin');
    await page.getByText('At 02:30, on day 15 of the month, every 2 months').waitFor();
    const times = page.getByRole('list', { name: 'Next times' }).getByRole('listitem');
    await expect.poll(() => times.filter({ hasText: /02:30.*UTC\+0[12]:00/ }).count()).toBe(5);
    await times
      .filter({ hasText: /Clocks go (forward|back) by 1 h/ })
      .first()
      .waitFor();
    expect(await lookInBothThemes(page, 'a schedule')).toEqual([]);
    await page.getByLabel('Cron expression').fill('30 2 15');
    await page.getByRole('alert').filter({ hasText: 'must have five fields' }).waitFor();
    await page.getByLabel('Cron expression').fill('30 2 15 */2 *');
    await page.getByLabel(/A program of your own/).check();
    await button('Create the automation').click();
    await page.waitForURL(/automations\/aut_/);

    await button('Run now').click();
    await page.waitForURL(/\/runs\/run_/);
    // The list, which has these words as filters, may still be seen.
    const state = (word: string) => page.locator('main span', { hasText: new RegExp(`^${word}$`) }).first();
    await state('Waits to start').waitFor();
    await endAttempt({ status: 'succeeded', summary: 'Updated <b>four</b> packages.' }, () =>
      state('Running').waitFor(),
    );
    await state('Succeeded').waitFor();
    await page.getByText('Updated <b>four</b> packages.').waitFor();
    await page.getByRole('link', { name: 'All runs of the automation' }).click();
    const runs = page.getByRole('table', { name: 'Runs' });
    await runs.getByRole('link', { name: 'Succeeded' }).waitFor();

    await button('More about the automation').click();
    await page.getByRole('menuitem', { name: 'Run with a payload …' }).click();
    await page.getByRole('textbox', { name: 'Payload' }).fill('{"only": "esbuild"}');
    await button('Run with this').click();
    await page.waitForURL(/\/runs\/run_/);
    await state('Waits to start').waitFor();
    await endAttempt({ status: 'failed', error_class: 'registry', error_message: 'The registry is <i>away</i>.' });
    await page.getByText('The registry is <i>away</i>.').waitFor();
    await page.getByText('Next attempt').waitFor();
    expect(await lookInBothThemes(page, 'a failed run')).toEqual([]);
    await button('Try again now').click();
    await state('Waits to start, attempt 2').waitFor();
    await endAttempt({ status: 'succeeded', summary: 'Updated one.' });
    await state('Succeeded, attempt 2').waitFor();
    await page.getByRole('link', { name: 'All runs of the automation' }).click();
    await expect.poll(() => runs.getByRole('link').allTextContents()).toEqual(['Succeeded, attempt 2', 'Succeeded']);
    await page.getByLabel('State').selectOption('Failed');
    await page.waitForURL(/status=failed/);
    await button('Clear the filters').click();
    await runs.getByText('Updated one.').waitFor();
    const payloads = api.ctx.db.kysely.selectFrom('automation_runs').select('payload').orderBy('created_at');
    expect(await payloads.execute()).toEqual([{ payload: {} }, { payload: { only: 'esbuild' } }]);
    expect(await lookInBothThemes(page, 'the runs')).toEqual([]);
    await page.getByRole('link', { name: 'All automations' }).click();
    await page.getByRole('img', { name: 'Newest last: Succeeded, Succeeded' }).waitFor();
    await page.getByRole('switch', { name: 'Nightly: on', checked: true }).click();
    await page.getByText('Paused', { exact: true }).waitFor();
    await page.getByRole('switch', { name: 'Nightly: on', checked: false }).click();
    await page.getByText('Paused', { exact: true }).waitFor({ state: 'detached' });
    expect(await lookInBothThemes(page, 'the automations')).toEqual([]);
  });

  test('a sample tells whether it would start a run, and a webhook shows its secret once', async () => {
    await browser.signIn('/console/default/automations/new?example=alerts', ada);
    await page.getByText('Starts a run', { exact: true }).waitFor();
    await page.getByLabel('Payload').fill('{"level": "warning"}');
    await page.getByText('Starts nothing', { exact: true }).waitFor();
    await page.getByLabel('Value').fill('warning');
    await page.getByText('Starts a run', { exact: true }).waitFor();
    await page.getByText('{"level":"warning"}').waitFor();
    await button('Create the automation').click();
    const secret = page.getByRole('group', { name: 'The secret of its webhook' }).locator('code');
    const first = await secret.textContent();
    expect(first).toMatch(/^whsec_/);
    await page.getByRole('link', { name: 'To the automation' }).click();
    await button('Run now').waitFor();
    expect(await page.getByText(String(first)).count()).toBe(0);
    await button('More about the automation').click();
    await page.getByRole('menuitem', { name: 'Replace the secret …' }).click();
    await button('Replace it').click();
    await expect.poll(() => secret.textContent()).toMatch(/^whsec_/);
    expect(await secret.textContent()).not.toBe(first);
    await page.getByRole('tab', { name: 'Edit' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Renamed');
    await button('Save').click();
    await page.getByRole('heading', { level: 1, name: 'Renamed' }).waitFor();
    await expect.poll(() => page.getByLabel('Value').inputValue()).toBe('warning');
  });

  test('what was entered for a session becomes an automation, and two people change it at once', async () => {
    await browser.signIn('/console/default/sessions/new', ada);
    await page.getByRole('textbox', { name: 'What should be done?' }).fill('Each month');
    await page.getByRole('link', { name: 'Schedule instead' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Monthly');
    expect(await page.getByLabel('What the session is told').inputValue()).toBe('Each month');
    await page.getByLabel(/A program of your own/).check();
    await button('Create the automation').click();
    await page.waitForURL(/automations\/aut_/);
    const id = page.url().split('/').at(-1);
    await page.getByRole('tab', { name: 'Edit' }).click();
    const prompt = page.getByLabel('What the session is told');
    await prompt.fill('Mine');
    const changed = await api.call('PATCH', `${organization}/automations/${id}`, { body: { name: 'Theirs' } });
    expect(changed.status).toBe(200);
    const conflict = page.getByRole('alert', { name: 'Changed meanwhile' });
    await conflict.getByRole('button', { name: 'Keep my changes on top of theirs' }).click();
    await conflict.waitFor({ state: 'detached' });
    await button('Save').click();
    await page.getByText('The automation is saved.').first().waitFor();
    // What only the other person changed is kept.
    await page.getByRole('heading', { level: 1, name: 'Theirs' }).waitFor();
    expect(await conflict.count()).toBe(0);
    expect(await prompt.inputValue()).toBe('Mine');
    await page.getByLabel('Send runs to').fill('https://ci.example.com/runs');
    await button('Save the address').click();
    const secret = page.getByRole('group', { name: 'The secret of the requests' }).locator('code');
    await expect.poll(() => secret.textContent()).toMatch(/^whsec_/);
  });

  test('a rule is set for a repository, tried, and violated', async () => {
    const body = { provider: 'local', repo: 'acme/guarded' };
    await api.call('POST', `${organization}/repositories`, { body });
    await browser.signIn('/console/default/guardrails?repo=acme/guarded', admin);
    await page.getByLabel('Set here: Who may start sessions').check();
    await page.getByLabel('Console', { exact: true }).check();
    await page.getByLabel('Set here: Denied commands').check();
    await page.getByLabel('Denied commands', { exact: true }).fill('git push\n');
    await button('Save the rules').click();
    await page
      .getByText(/^The rules are saved/)
      .first()
      .waitFor();
    await page.getByRole('tab', { name: 'Try' }).click();
    await page.getByLabel('Commands it runs').fill('sh -c "git push origin main"');
    await button('Try').click();
    await page.getByText('Something would be blocked').waitFor();
    const refused = await api.call('POST', `${organization}/sessions`, {
      body: { prompt: 'x', repositories: [{ repo: 'acme/guarded' }] },
    });
    expect(refused.status).toBe(403);
    await page.getByRole('tab', { name: 'Violations' }).click();
    await page.getByRole('table', { name: 'Violations' }).getByRole('link', { name: 'Who may start sessions' }).click();
    await page.getByText('none: it was not created').waitFor();
    await page.getByText(/origin "api" are not allowed/).waitFor();
    await button('Mark as seen').click();
    await button('Mark as seen').waitFor({ state: 'detached' });
    await page.goto(`${api.url}/console/default/guardrails`);
    await page
      .getByRole('region', { name: 'Repositories with rules of their own' })
      .getByText('acme/guarded')
      .waitFor();
    // The name of one repository begins that of another.
    const choice = page.getByRole('combobox', { name: 'Repository', exact: true });
    await choice.pressSequentially('acme/guarded-too', { delay: 30 });
    expect(await choice.inputValue()).toBe('acme/guarded-too');
    await choice.press('Enter');
    await page.waitForURL(/repo=acme(\/|%2F)guarded-too/);
  });

  test('what a session cost is in the chart, in the table, and in the file', async () => {
    await withinOneDay();
    await useModel({ tags: ['=nightly'] }, 1.25);
    await browser.signIn('/console/default/consumption?by=tag', ada);
    const table = page.getByRole('region', { name: 'Consumption by group' });
    const row = table.getByRole('row', { name: /=nightly/ });
    await row.getByRole('cell', { name: '$1.25' }).waitFor();
    await row.getByRole('cell', { name: '1.2k' }).waitFor();
    const chart = page.getByRole('figure', { name: /^Cost/ });
    await chart.getByText('$1.25 in all').waitFor();
    await chart.getByRole('group').focus();
    await page.keyboard.press('End');
    await chart.getByText(/\$1\.25/).waitFor();
    expect(await chart.locator('svg rect[fill^="var(--chart"]').count()).toBeGreaterThan(0);
    const [file] = await Promise.all([page.waitForEvent('download'), button('Save as CSV').click()]);
    const chunks: Buffer[] = [];
    for await (const chunk of await file.createReadStream()) chunks.push(Buffer.from(chunk));
    expect(Buffer.concat(chunks).toString()).toContain("\r\n'=nightly,1,1200,300,40,0,1.25,new\r\n");
    await button('By day').click();
    await page.waitForURL(/rows=days/);
    await page
      .getByRole('region', { name: 'Consumption by day' })
      .getByRole('cell', { name: '$1.25' })
      .first()
      .waitFor();
    await button('By group').click();
    const [cycle] = await Promise.all([
      page.waitForEvent('download'),
      button(/^Days as CSV: 1 \w+ to \d+ \w+$/).click(),
    ]);
    expect(cycle.suggestedFilename()).toMatch(/^cycle-\d{4}-\d\d-01\.csv$/);
    await row.getByRole('link', { name: '=nightly' }).click();
    await page.waitForURL(/sessions\?tag=/);
    await page.goto(`${api.url}/console/default/metrics`);
    await page.getByText('no cases').first().waitFor();
    await page.getByRole('tab', { name: 'Use', exact: true }).click();
    await page.getByRole('figure', { name: /^Use/ }).getByText('$1.25 in all').waitFor();
  });

  test('a webhook is made and tested, and a refused delivery shows its attempts', async () => {
    const receiver = await openReceiver();
    receiver.answer((response) => void response.writeHead(500).end('<script>alert(1)</script>'));
    try {
      await browser.signIn('/console/default/webhooks', admin);
      await page.getByRole('link', { name: 'New webhook' }).last().click();
      await page.getByLabel('URL').fill('nonsense');
      await button('Create the webhook').click();
      await page
        .getByText(/must be an? /)
        .first()
        .waitFor();
      await page.getByLabel('URL').fill(receiver.url);
      await page.getByLabel('Name', { exact: true }).fill('Chat');
      await button('session.*').click();
      await button('Create the webhook').click();
      await page.getByText(/^whsec_/).waitFor();
      await page.getByRole('link', { name: 'To the webhook' }).click();
      await button('Send a test').click();
      const attempts = page.getByRole('list', { name: 'Attempts' }).getByRole('listitem');
      await attempts.filter({ hasText: '500' }).waitFor();
      await page.getByRole('region', { name: 'Last response' }).getByText('<script>alert(1)</script>').waitFor();
      receiver.answer((response) => void response.writeHead(204).end());
      await button('Send a test').click();
      await page.getByText('webhook.test: Delivered').waitFor();
      expect(receiver.received.length).toBeGreaterThan(1);
    } finally {
      await receiver.close();
    }
  });

  test('a viewer reads everything, and finds no control that would be refused', async () => {
    const automation = await newAutomation(api, { name: 'Seen by all' });
    const { json } = await api.call('POST', `${organization}/webhooks`, { body: { url: 'https://example.com/hook' } });
    const refusals: string[] = [];
    page.on('response', (response) => {
      if (response.status() === 403) refusals.push(response.url());
    });
    const pages: [string, string, RegExp][] = [
      ['automations', 'Seen by all', /New automation|Run now/],
      [`automations/${automation.id}?tab=edit`, 'Update the dependencies.', /Save|Run now|More about/],
      ['automations/new', 'This page takes the permission', /Create/],
      ['guardrails', 'default of the platform', /Save/],
      ['guardrails?tab=try', 'default of the platform', /^Try$/],
      ['consumption', 'This cycle', /^$/],
      ['metrics', 'Merge rate', /^$/],
      ['webhooks', 'https://example.com/hook', /New webhook/],
      [`webhooks/${String(json['id'])}`, 'all events', /Send|Edit|More about/],
    ];
    await browser.signIn('/console/default/automations', viewer);
    for (const [path, text, control] of pages) {
      await page.goto(`${api.url}/console/default/${path}`);
      await page.getByText(text).first().waitFor();
      const controls = page.locator('#page').locator('button, a[href], [role=tab], [role=switch]');
      const names = await controls.allTextContents();
      expect([path, names.filter((name) => name !== '' && control.test(name))]).toEqual([path, []]);
      expect([path, await page.getByRole('switch').count()]).toEqual([path, 0]);
    }
    expect(refusals).toEqual([]);
  });
});
