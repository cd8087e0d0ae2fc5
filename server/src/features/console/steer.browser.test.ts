import type { Page } from 'playwright-core';
import { script, type Step } from '@guildhall/scripted-model';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createModelFixture, type ModelFixture } from '../../../test/support/model-sessions.ts';
import { withSandboxes } from '../../../test/support/worker.ts';
import type { Sandbox } from '../../adapters/sandbox/port.ts';
import { lookInBothThemes } from './axe-fixture.ts';
import { createPerson, useConsoleBrowser } from './browser-fixture.ts';

const email = 'steer@example.com';
/** A command that ends when the test lets it. */
const held = 'until test -e ~/go; do sleep 0.1; done; rm ~/go';

let fixture: ModelFixture;
const sandboxes: Sandbox[] = [];
beforeAll(async () => {
  fixture = await createModelFixture();
  await fixture.worker({ change: withSandboxes((sandbox) => sandboxes.push(sandbox)) });
  await createPerson(fixture.api, email, 'member');
});
afterAll(() => fixture.close());

/** Lets the command end that the agent runs. */
async function letGo(): Promise<void> {
  const sandbox = sandboxes.findLast(({ id }) => id.includes('-agent-'));
  await sandbox?.writeFile(`${sandbox.home}/go`, '');
}

/** Returns everything that the model was told. */
const told = () => JSON.stringify(fixture.model.requests.map(({ body }) => body));

describe('a session that works', () => {
  const browser = useConsoleBrowser(() => fixture.api);
  beforeEach(() => browser.page.emulateMedia({ reducedMotion: 'reduce' }));

  test('is told before its next call, is not told what is withdrawn, and is interrupted', async () => {
    const { page } = browser;
    const calls = ['first', 'second'].map((name) => ({ run: `echo ${name}; ${held}`, timeout: 600 }));
    const steps = [...calls, { say: 'Never said.' }];
    const { id } = await fixture.create({ title: 'Steered', prompt: script(steps) });
    await browser.signIn(`/console/default/sessions/${id}`, email);
    const log = page.getByRole('region', { name: 'Log' });
    const field = page.getByRole('textbox', { name: 'Message', exact: true });
    const delivery = page.getByRole('combobox', { name: 'Delivery' });
    const queued = page.getByRole('list', { name: 'Queued messages' });
    const sending = log.getByRole('list', { name: 'Messages on their way' });
    const interrupt = page.getByRole('button', { name: 'Interrupt', exact: true });
    await fixture.event(id, ({ kind, data }) => kind === 'output' && String(data['text']).includes('first'));
    await interrupt.waitFor();

    await field.fill('Use UTC.');
    await page.reload();
    await expect.poll(() => field.inputValue()).toBe('Use UTC.');
    await page.route('**/messages', (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({ status: 409, json: { error: 'conflict', message: 'Not at this moment.' } })
        : route.continue(),
    );
    await field.press('Control+Enter');
    await sending.getByText('Not at this moment.').waitFor();
    expect(await field.inputValue()).toBe('');
    await page.reload();
    await sending.getByText('Use UTC.').waitFor();
    await sending.getByRole('button', { name: 'Edit' }).click();
    expect(await field.inputValue()).toBe('Use UTC.');
    await page.unroute('**/messages');
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Steer', exact: true }).click();
    await sending.getByText('Check your connection, and try again.').waitFor();
    await page.context().setOffline(false);
    await sending.getByRole('button', { name: 'Try again' }).click();
    await queued.getByText('Before the next step').waitFor();
    await sending.waitFor({ state: 'detached' });

    await delivery.selectOption('queue');
    await field.fill('Drop the tests.');
    await page.getByRole('button', { name: 'Queue', exact: true }).click();
    const second = queued.getByRole('listitem').filter({ hasText: 'Drop the tests.' });
    await second.getByText('Queued').waitFor();
    expect(await lookInBothThemes(page, 'messages that wait')).toEqual([]);
    await second.getByRole('button', { name: 'Withdraw' }).click();
    await second.waitFor({ state: 'detached' });
    await log.getByText('withdrawn').waitFor();
    expect(told()).not.toContain('Use UTC.');

    await letGo();
    await fixture.event(id, ({ kind, data }) => kind === 'output' && String(data['text']).includes('second'));
    await queued.waitFor({ state: 'detached' });
    expect(told()).toContain('Use UTC.');
    await log.getByText('Use UTC.').waitFor();

    await delivery.selectOption('interrupt');
    await field.fill(script([{ run: `echo third; ${held}`, timeout: 600 }]));
    await page.getByRole('button', { name: 'Interrupt and send', exact: true }).click();
    await fixture.event(id, ({ kind, data }) => kind === 'output' && String(data['text']).includes('third'));

    await interrupt.waitFor();
    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('i');
    await interrupt.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Answer' }).waitFor();
    expect(await fixture.get(id)).toMatchObject({ status: 'waiting', status_detail: 'awaiting_user', error: null });

    await field.fill(script([{ say: 'Back again.' }]));
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await log.getByText('Back again.', { exact: true }).waitFor();
    await page.getByText(/^Done/).first().waitFor();
    expect(await log.getByText('Never said.', { exact: true }).count()).toBe(0);
    expect(told()).not.toContain('Drop the tests.');
    expect(await lookInBothThemes(page, 'a steered session')).toEqual([]);
  });
});

describe('sessions that wait for approval', () => {
  const browser = useConsoleBrowser(() => fixture.api);
  const submit = (plan: string): Step => ({ call: { name: 'submit_plan', input: { plan } } });
  const cardOn = (page: Page, title: string) =>
    page.getByRole('region', { name: 'Needs you' }).getByRole('article').filter({ hasText: title });

  /** Creates a session that works until it has handed in its first plan. */
  async function planned(title: string, steps: Step[]): Promise<string> {
    const { id } = await fixture.create({ title, prompt: script(steps), require_plan_approval: true });
    expect(await fixture.reaches(id, 'waiting', 'failed')).toMatchObject({ status_detail: 'awaiting_approval' });
    return id;
  }

  /** Makes the request for a plan one for a tool's call, which no agent of the platform sends yet. */
  async function askForTool(id: string, tool: string, input: object): Promise<void> {
    const change = "update session_approvals set kind = 'tool', plan = '', tool = $2, input = $3 where session_id = $1";
    await fixture.api.ctx.db.pool.query(change, [id, tool, JSON.stringify(input)]);
  }

  test('one is approved on the board, one denied a tool and given a better plan, and two browsers agree', async () => {
    const { page } = browser;
    const [easy, hard] = ['Drop the legacy sign-in', 'Deploy the service'];
    const easyId = await planned(easy, [submit('# Drop it\n\n1. Look.\n2. Drop.'), { say: 'It is gone.' }]);
    const hardId = await planned(hard, [submit('Any.'), submit('1. Deploy to staging'), { say: 'It is out.' }]);
    await askForTool(hardId, 'deploy', { to: 'production' });
    await createPerson(fixture.api, 'bo@example.com', 'member');
    const other = await browser.another({ reducedMotion: 'reduce' });
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await browser.signIn('/console/default/sessions', email);
    await browser.signIn('/console/default/sessions', 'bo@example.com', other);
    const bothSay = async (title: RegExp) => {
      for (const one of [page, other]) await expect.poll(() => one.title(), { timeout: 60_000 }).toMatch(title);
    };
    await bothSay(/^\(2\) /);
    await cardOn(other, easy).getByText('Plan, 2 steps: Drop it').waitFor();
    await cardOn(other, hard).getByText('deploy: {"to":"production"}').waitFor();
    expect(await lookInBothThemes(page, 'the board')).toEqual([]);

    await cardOn(page, easy).getByRole('button', { name: 'Approve' }).click();
    for (const one of [page, other]) await cardOn(one, easy).waitFor({ state: 'detached' });
    await bothSay(/^\(1\) /);
    expect(await fixture.reaches(easyId, 'completed', 'failed')).toMatchObject({ status: 'completed' });

    await cardOn(page, hard).getByRole('link', { name: hard }).click();
    await page.getByRole('tab', { name: 'Plan' }).click();
    const part = page.getByRole('complementary', { name: 'Details' });
    await part.getByText('Allow deploy?').waitFor();
    await part.getByRole('textbox', { name: 'Note to the agent' }).fill('Never on a Friday.');
    await part.getByRole('button', { name: 'Deny with the note' }).click();
    const decisions = part.getByRole('group', { name: 'Decision' });
    await decisions.filter({ hasText: 'Denied deploy' }).getByText('Never on a Friday.').waitFor();

    await cardOn(other, hard).getByText('Plan, 1 step: Deploy to staging').waitFor();
    expect(told()).toContain('Never on a Friday.');
    await part.getByRole('button', { name: 'Edit the plan' }).click();
    expect(await lookInBothThemes(page, 'a plan that is edited')).toEqual([]);
    await part.getByRole('textbox', { name: 'The plan' }).fill('1. Deploy to staging\n2. Wait for Monday');
    await part.getByRole('button', { name: 'Approve as edited' }).click();
    await decisions.filter({ hasText: 'Approved the plan, edited' }).waitFor();
    await cardOn(other, hard).waitFor({ state: 'detached' });
    await bothSay(/^[^(]/);
    await page.getByRole('region', { name: 'Log' }).getByText('It is out.', { exact: true }).waitFor();
    expect(told()).toContain('2. Wait for Monday');
    await page.getByText(/^Done/).first().waitFor();
    expect(await lookInBothThemes(page, 'a session with decisions')).toEqual([]);
  });
});
