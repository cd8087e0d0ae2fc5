import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRuntimeFixture, type RuntimeFixture, type TestRepository } from '../../../test/support/sessions.ts';
import { lookInBothThemes } from './axe-fixture.ts';
import { createPerson, useConsoleBrowser } from './browser-fixture.ts';
import { hold } from './hold-fixture.ts';

const email = 'ada@example.com';

let fixture: RuntimeFixture;
let repository: TestRepository;
beforeAll(async () => {
  fixture = await createRuntimeFixture();
  await fixture.worker();
  await createPerson(fixture.api, email, 'admin');
  repository = await fixture.repository({ 'a.txt': 'one\n' });
});
afterAll(() => fixture.close());

describe('a change request', () => {
  const browser = useConsoleBrowser(() => fixture.api);

  test('is followed as the policy and a person say: begun, paused, continued and ended', async () => {
    const { page } = browser;
    await page.emulateMedia({ reducedMotion: 'reduce' });
    const path = `/v3/organizations/default/repositories/${repository.id}`;
    await browser.signIn(`/console/default/repositories/${repository.id}?tab=follow`, email);
    const main = page.getByRole('main');
    await page.getByLabel('What happens after a session opened a change request?').selectOption('off');
    await page.getByLabel('Hours', { exact: true }).fill('5');
    await page.getByLabel('Trusted programs').fill('ci-bot\n\nlinter ');
    await main.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved. It holds for open change requests too.').first().waitFor();
    expect((await fixture.api.call('GET', `${path}/follow`)).json).toMatchObject({
      mode: 'off',
      hours: 5,
      ci_rounds: 3,
      trusted_bots: ['ci-bot', 'linter'],
    });
    expect(await lookInBothThemes(page, 'a follow policy')).toEqual([]);

    await fixture.run({ repository, agent: { steps: [{ run: 'echo two > a.txt' }], summary: 'Two.' } });
    await page.goto(`${fixture.api.url}/console/default/repositories/${repository.id}/change-requests/1`);
    const follow = main.getByRole('region', { name: 'Follow' });
    await follow.getByText('Not followed').waitFor();
    await follow.getByRole('button', { name: 'Follow until it merges' }).click();
    await follow.getByRole('button', { name: 'Pause' }).click();
    await follow.getByText('Paused', { exact: true }).waitFor();
    await follow.getByText(/paused it\./).waitFor();
    await follow.getByText('No round yet').click();
    await follow.getByText('0 of 3').waitFor();
    await follow.getByText('0 of 8').waitFor();
    expect(await lookInBothThemes(page, 'a paused change request')).toEqual([]);
    await follow.getByRole('button', { name: 'Go on' }).click();
    await follow.getByRole('button', { name: 'Pause' }).waitFor();
    await follow.getByRole('button', { name: 'Stop following' }).click();
    await follow.getByText('No longer followed').waitFor();
    expect((await fixture.api.call('GET', `${path}/change-requests/1/follow`)).json).toMatchObject({ state: 'ended' });

    // One that no session opened, such as a person's at a git host, is given one.
    const { id } = await fixture.run({
      repository,
      agent: { steps: [{ run: 'echo three > a.txt' }], summary: 'Three.' },
    });
    await fixture.api.ctx.db.pool.query("update change_requests set session_id = '' where number = 2");
    await page.goto(`${fixture.api.url}/console/default/repositories/${repository.id}/change-requests/2`);
    await follow.getByLabel('Session that works on it').selectOption(id);
    await follow.getByRole('button', { name: 'Follow until it merges' }).click();
    await follow.getByRole('button', { name: 'Pause' }).waitFor();
    expect((await fixture.api.call('GET', `${path}/change-requests/2/follow`)).json).toMatchObject({ session_id: id });

    // The list says how each is followed, and is filtered by it.
    const row = main.getByRole('row', { name: '#1' });
    await page.goto(`${fixture.api.url}/console/default/change-requests`);
    await row.getByText('No longer followed').waitFor();
    await page.getByLabel('Until it merges').selectOption('needs_person');
    await page.waitForURL(/follow=needs_person/);
    await main.getByText('Nothing fits these filters.').waitFor();
    await main.getByRole('button', { name: 'Clear the filters' }).click();
    await row.waitFor();
    expect(await lookInBothThemes(page, 'how change requests are followed')).toEqual([]);
    await page.goto(`${fixture.api.url}/console/default/metrics?what=change-requests`);
    await main.getByText('0 of 2 followed').waitFor();
    expect(await lookInBothThemes(page, 'what became of followed ones')).toEqual([]);
  });

  test('keeps what is written on while a comment is sent', async () => {
    const { page } = browser;
    await fixture.run({ repository, agent: { steps: [{ run: 'echo four > a.txt' }], summary: 'Four.' } });
    const number = Math.max(...(await fixture.changeRequests(repository)).map((request) => request.number));
    const path = `repositories/${repository.id}/change-requests/${number}`;
    await browser.signIn(`/console/default/${path}?tab=conversation`, email);
    const field = page.getByRole('textbox', { name: 'Comment on the whole change' });
    await field.fill('First this.');
    const comment = await hold(page, 'POST', `/${path}/comments`);
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    await comment.isSent;
    await field.fill('First this. Then that.');
    await comment.pass();
    await page.getByRole('article').getByText('First this.').waitFor();
    expect(await field.inputValue()).toBe('First this. Then that.');
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    await expect.poll(() => field.inputValue()).toBe('');
  });
});
