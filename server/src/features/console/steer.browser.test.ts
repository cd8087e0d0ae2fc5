import { script } from '@guildhall/scripted-model';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createModelFixture, type ModelFixture } from '../../../test/support/model-sessions.ts';
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
  await fixture.worker({
    change: (ctx) => ({
      ...ctx,
      sandbox: {
        ...ctx.sandbox,
        create: async (options) => {
          const sandbox = await ctx.sandbox.create(options);
          sandboxes.push(sandbox);
          return sandbox;
        },
      },
    }),
  });
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
    const steps = [{ run: `echo first; ${held}` }, { run: `echo second; ${held}` }, { say: 'Never said.' }];
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
    await page.getByRole('button', { name: 'Steer', exact: true }).click();
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

    await interrupt.click();
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
