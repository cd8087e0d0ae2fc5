import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { checkpoint, sessionIn, start } from '../../../test/support/session-states.ts';
import { append, finish } from '../sessions/run/run-service.ts';
import { createPerson, useConsoleBrowser } from './browser-fixture.ts';
import {
  askForCall,
  askForPlan,
  callOf,
  commandOf,
  keepFile,
  makeSession,
  manyLines,
  sayingOf,
  talk,
} from './made-session-fixture.ts';

const email = 'session@example.com';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  await createPerson(api, email, 'admin');
});
afterAll(() => api.close());

const addressOf = (id: string, rest = '') => `/console/default/sessions/${id}${rest}`;

describe('the page of a session', () => {
  const browser = useConsoleBrowser(() => api);
  const log = () => browser.page.getByRole('region', { name: 'Log' });

  test('steps fold calls, and what a reader opens stays open', async () => {
    const made = await makeSession(api, 'Steps');
    const spent = { limit: 'max_tokens', used: 2_800_000, allowed: 2_000_000 };
    await append(api.ctx, made.run, [{ kind: 'budget', data: spent }]);
    await browser.signIn(addressOf(made.id), email);
    const step = log().getByRole('button', { name: /^Read 2 files, searched once, ran 1 command 1 failed/ });
    await log().getByText('Limit of tokens: 2 800 000 of 2 000 000').waitFor();
    await step.click();
    await log().getByText('src/due.ts').waitFor();
    // It failed, so its output is open.
    await log().getByText('line 214').waitFor();
    await talk(api, made, 0, 3);
    await log().getByText('src/due.ts').waitFor();
    await step.click();
    await log().getByText('src/due.ts').waitFor({ state: 'detached' });
    await log()
      .getByRole('link', { name: /src\/invoices\.ts/ })
      .click();
    await browser.page.waitForURL(/tab=changes/);
  });

  test('each part beside the log shows what the session has', async () => {
    const made = await makeSession(api, 'Parts');
    await browser.signIn(addressOf(made.id), email);
    const { page } = browser;
    const part = page.getByRole('complementary', { name: 'Details' });
    const open = async (name: string) => {
      await part.getByRole('tab', { name }).click();
      await page.waitForURL(new RegExp(`tab=${name.toLowerCase()}`));
    };
    await part.getByText('exit 1').waitFor();
    await part.getByText('3 tests, all passed').waitFor();
    await open('Terminal');
    await part.getByRole('button', { name: /^\$ npm test exit 1/ }).click();
    await part.getByRole('region', { name: 'Output' }).getByText('line 20 of output').waitFor();
    await part.getByRole('searchbox', { name: 'Find in the output' }).fill('line 209');
    await part.getByText('1 of 1').waitFor();
    await open('Plan');
    await part.getByText('Add the column').waitFor();
    await open('Artifacts');
    await part.getByRole('img', { name: 'shot.svg' }).waitFor();
    await part.getByRole('link', { name: 'full.log' }).waitFor();
    await open('Context');
    await part
      .getByText(/Nothing yet|Knowledge/)
      .first()
      .waitFor();
    await open('Cost');
    await part.getByText('scripted/one').or(part.getByText('Turn 1')).first().waitFor();
    await open('Raw');
    await part.getByRole('combobox', { name: 'Kind of events' }).selectOption('warning');
    await part.getByRole('button', { name: /warning/ }).click();
    await part.getByText('"code": "slow"').waitFor();
    await page.reload();
    await part.getByRole('button', { name: /warning/ }).waitFor();
  });

  test('a fork from the menu or from a message waits for its first message, and leads back', async () => {
    const made = await makeSession(api, 'Forked');
    await append(api.ctx, made.run, [sayingOf('third', 'All of it is saved.')]);
    await browser.signIn(addressOf(made.id), email);
    const { page } = browser;
    for (const act of ['menu', 'message']) {
      if (act === 'menu') {
        await page.getByRole('button', { name: 'More about this session' }).click();
        await page.getByRole('menuitem', { name: 'Fork' }).click();
      } else {
        await log().getByText('All of it is saved.').hover();
        await log().getByRole('button', { name: 'Fork from here' }).last().click();
      }
      const back = page.getByRole('link', { name: 'Forked from another session' });
      await back.waitFor();
      expect(page.url()).not.toContain(made.id);
      await log().getByText('This fork has the files').waitFor();
      await page.getByText('The fork waits for your message.').first().waitFor();
      await back.click();
      await page.waitForURL(new RegExp(made.id));
    }
    const details = page.getByRole('complementary', { name: 'Details' });
    await details.getByRole('tab', { name: 'Cost' }).click();
    await details.getByRole('region', { name: 'How it went' }).getByText('Working').waitFor();
  });

  test('hostile changes and outputs are only text, and comments on lines are one message', async () => {
    const made = await makeSession(api, 'Hostile');
    const moving = `${'\u001b[1A\u001b[2K'.repeat(3)}done\u001b]0;owned\u0007 ${'x'.repeat(50_000)}\n`;
    await append(api.ctx, made.run, commandOf('h1', 'evil', moving, 1));
    await browser.signIn(addressOf(made.id, '?tab=changes&file=evil.html'), email);
    const { page } = browser;
    const part = page.getByRole('complementary', { name: 'Details' });
    await part.getByText('document.title=', { exact: false }).first().waitFor();
    await page.waitForTimeout(1_000);
    expect(await page.title()).toContain('Hostile');
    expect(await part.locator('diffs-container img, diffs-container script').count()).toBe(0);
    await part.getByRole('tab', { name: 'Terminal' }).click();
    await part.getByRole('button', { name: /evil/ }).click();
    await part.getByRole('region', { name: 'Output' }).getByText('done', { exact: false }).waitFor();
    await page.goto(`${api.url}${addressOf(made.id, '?tab=changes&file=src/invoices.ts')}`);
    await part.locator('[data-column-number="41"]').first().click();
    await part.getByRole('textbox', { name: 'Comment on line 41' }).fill('Why not in UTC?');
    // The agent takes all of it back before the comment is sent.
    const nothing = { base_commit: 'b'.repeat(40), head_commit: 'a'.repeat(40), additions: 0, deletions: 0, files: [] };
    await api.ctx.blobs.put(`sessions/${made.id}/c2.diff`, Buffer.from(JSON.stringify(nothing)));
    await checkpoint(api, made.run, 'acme/billing', `sessions/${made.id}/c2`);
    await page.reload();
    const left = part.getByRole('region', { name: 'Comments on other files' });
    await left.getByText('src/invoices.ts').waitFor();
    expect(await left.getByRole('textbox').inputValue()).toBe('Why not in UTC?');
    await part.getByRole('button', { name: 'Send as one message' }).click();
    await log().getByText('src/invoices.ts, line 41:').waitFor();
    // The log may have it before the request is answered.
    await part.getByRole('textbox', { name: 'Comment on line 41' }).waitFor({ state: 'detached' });
  });

  test('the tree of many changed files shows the one that an address names', async () => {
    const made = await makeSession(api, 'Everything');
    const fileOf = (at: number) => ({
      path: `src/${at % 10}/${at}.ts`,
      old_path: '',
      status: 'modified',
      binary: false,
    });
    const files = Array.from({ length: 300 }, (_, at) => ({ ...fileOf(at), additions: 1, deletions: 0, patch: '' }));
    const changed = { base_commit: 'b'.repeat(40), head_commit: 'a'.repeat(40), additions: 300, deletions: 0, files };
    await api.ctx.blobs.put(`sessions/${made.id}/c1.diff`, Buffer.from(JSON.stringify(changed)));
    await browser.signIn(addressOf(made.id, '?tab=changes&file=src/5/295.ts'), email);
    const tree = browser.page.getByRole('navigation', { name: 'Changed files' });
    const entry = tree.getByRole('button', { name: '295.ts' });
    await entry.waitFor();
    await expect
      .poll(async () => {
        const { x, y, width, height } = (await entry.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
        const at = `document.elementFromPoint(${x + width / 2}, ${y + height / 2})`;
        return browser.page.evaluate(`${at}?.closest('button')?.title`);
      })
      .toBe('src/5/295.ts');
  });

  test('the plan of a script is decided as it stands, a session is renamed and ended', async () => {
    const agent = { name: 'Steps', runtime: 'script', runtime_config: { steps: [{ run: 'npm test' }], summary: '' } };
    const { json } = await api.call('POST', '/agents', { body: agent });
    const made = await makeSession(api, 'Decide', { agent_id: json['id'] });
    await askForPlan(api, made.run, '1. `npm test`');
    await browser.signIn(addressOf(made.id, '?tab=plan'), email);
    const { page } = browser;
    const part = page.getByRole('complementary', { name: 'Details' });
    await part.getByPlaceholder('A note on the decision').waitFor();
    await part.getByRole('button', { name: 'Approve' }).waitFor();
    expect(await part.getByRole('button', { name: 'Edit the plan' }).count()).toBe(0);
    const more = page.getByRole('button', { name: 'More about this session' });
    await more.click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await page.getByRole('textbox', { name: 'Title' }).fill('Decided');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Decided' }).and(page.locator(':focus')).waitFor();
    await more.click();
    await page.getByRole('menuitem', { name: 'Cancel the session' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the session' }).click();
    await page.getByText('Canceled', { exact: true }).first().waitFor();
  });

  test('a session that failed before its first checkpoint is started again, not answered', async () => {
    const longTitle = 'Mend the clock so that it strikes every hour';
    const { id } = await sessionIn(api, 'failed', { prompt: longTitle });
    const { id: kept } = await sessionIn(api, 'failed with a checkpoint', { prompt: 'Mend the bell' });
    await browser.signIn(addressOf(kept), email);
    const { page } = browser;
    const message = page.getByRole('textbox', { name: 'Message', exact: true });
    await message.waitFor();
    await page.getByRole('button', { name: 'Retry' }).waitFor();
    // Its worker worked for one second, however long it is there.
    await page.getByTitle('Time that it worked').getByText('1 s', { exact: true }).waitFor();
    await page.goto(`${api.url}${addressOf(id)}`);
    await page.getByText('no message can continue it').waitFor();
    await page.setViewportSize({ width: 1_024, height: 768 });
    const hiddenPx = () =>
      page.evaluate<number>(`(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)(
      document.querySelector('h1'))`);
    await expect.poll(hiddenPx).toBe(0);
    expect(await message.or(page.getByRole('button', { name: 'Retry' })).count()).toBe(0);
    await page.getByRole('button', { name: 'Start again with this prompt' }).click();
    const prompt = page.getByRole('textbox', { name: 'What should be done?' });
    await expect.poll(() => prompt.inputValue()).toBe(longTitle);
  });

  test('a session that was continued has a clock that ticks, from the time that it worked before', async () => {
    const { id, path } = await sessionIn(api, 'failed with a checkpoint', { prompt: 'Wind the clock' });
    await api.call('POST', `${path}/messages`, { body: { content: 'Once more' } });
    await start(api, id, 2);
    await api.ctx.db.pool.query(
      `update sessions set sandbox_seconds = 60, working_since = now() - interval '5 s' where id = $1`,
      [id],
    );
    await browser.signIn(addressOf(id), email);
    const clock = browser.page.getByTitle('Time that it worked');
    const secondsNow = async () => Number(/^1 m (\d+) s$/.exec(await clock.innerText())?.[1]);
    await expect.poll(secondsNow).toBeGreaterThanOrEqual(5);
    const first = await secondsNow();
    await expect.poll(secondsNow).toBeGreaterThan(first);
  });

  test('what was not seen is read once its page is looked at again', async () => {
    const made = await makeSession(api, 'Read later');
    const { page } = browser;
    // Chromium without a screen takes every page for a visible one.
    await page.addInitScript(`{
      let isHidden = false;
      Object.defineProperty(document, 'hidden', { get: () => isHidden });
      addEventListener('test-look', ({ detail }) => {
        isHidden = !detail;
        document.dispatchEvent(new Event('visibilitychange'));
      });
    }`);
    const look = (isSeen: boolean) =>
      page.evaluate(`dispatchEvent(new CustomEvent('test-look', { detail: ${isSeen} }))`);
    await browser.signIn(addressOf(made.id), email);
    await log().getByText('Now the tests pass.').waitFor();
    const at = `/v3/organizations/default/sessions/${made.id}`;
    // A session of somebody else is only unread for who has read it before.
    await page.evaluate(`fetch('${at}/read', {
      method: 'PUT', body: '{"seq": 1}', headers: { 'content-type': 'application/json', 'x-guildhall-csrf': '1' } })`);
    const isUnread = () => page.evaluate(`fetch('${at}').then((answer) => answer.json()).then(({ unread }) => unread)`);
    await look(false);
    await finish(api.ctx, made.run, {
      status: 'waiting',
      status_detail: 'awaiting_user',
      sandbox_state: 'none',
      sandboxSeconds: 1,
    });
    await page.getByText('Your answer', { exact: true }).first().waitFor();
    expect(await isUnread()).toBe(true);
    await look(true);
    await expect.poll(isUnread).toBe(false);
  });

  test('what a session waits for is done from its head, by key', async () => {
    const made = await makeSession(api, 'Waits');
    await askForPlan(api, made.run, '1. Drop the index');
    const waits = { status: 'waiting', status_detail: 'awaiting_approval', sandbox_state: 'paused' } as const;
    await finish(api.ctx, made.run, { ...waits, sandboxSeconds: 1 });
    await browser.signIn(addressOf(made.id, '?tab=plan'), email);
    const { page } = browser;
    await page.getByRole('button', { name: 'Approve the plan' }).waitFor();
    await page.keyboard.press('a');
    await page.getByRole('complementary', { name: 'Details' }).getByText('Approved', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Approve the plan' }).waitFor({ state: 'detached' });
    // No worker takes the message, which cannot be withdrawn.
    const queued = page.getByRole('list', { name: 'Queued messages' }).getByRole('listitem');
    await queued.filter({ hasText: 'The plan is approved' }).getByText('Decision', { exact: true }).waitFor();
    expect(await queued.getByRole('button').count()).toBe(0);
  });

  test('what a person was writing when somebody else decided stays, and the next keys are not those of the page', async () => {
    const made = await makeSession(api, 'Waits for two');
    const approval = await askForPlan(api, made.run, '1. Drop the index');
    const waits = { status: 'waiting', status_detail: 'awaiting_approval', sandbox_state: 'paused' } as const;
    await finish(api.ctx, made.run, { ...waits, sandboxSeconds: 1 });
    await browser.signIn(addressOf(made.id, '?tab=plan'), email);
    const { page } = browser;
    const part = page.getByRole('complementary', { name: 'Details' });
    await part.getByRole('textbox', { name: 'Note to the agent' }).pressSequentially('Not on a Fri');
    const path = `/v3/organizations/default/sessions/${made.id}/approvals/${approval}`;
    await api.call('POST', path, { body: { decision: 'approve' } });
    const left = part.getByRole('textbox', { name: 'Administrator decided before you sent this note' });
    await expect.poll(() => left.evaluate('document.activeElement?.readOnly')).toBe(true);
    await page.keyboard.type('c');
    expect(await left.inputValue()).toBe('Not on a Fri');
    expect(page.url()).toContain(made.id);
    await page.reload();
    expect(await left.inputValue()).toBe('Not on a Fri');
    await part.getByRole('button', { name: 'Discard' }).click();
    for (const where of [part, page.getByRole('region', { name: 'Log' })])
      await where.getByRole('group', { name: 'Not sent' }).waitFor({ state: 'detached' });
  });

  test('all of a call can be read before it is allowed, and the board allows none that it does not show', async () => {
    const { page } = browser;
    const made = await makeSession(api, 'Asks for much');
    const middle = 'drop table \u202esresu';
    const words = 'and so on '.repeat(2_000);
    await askForCall(api, made.run, 'write', {
      text: `${words}${middle} data:text/plain;base64,${'QUJD'.repeat(600)} ${words}`,
    });
    const waits = { status: 'waiting', status_detail: 'awaiting_approval', sandbox_state: 'paused' } as const;
    await finish(api.ctx, made.run, { ...waits, sandboxSeconds: 1 });
    await browser.signIn('/console/default/sessions', email);
    const card = page.getByRole('article').filter({ hasText: 'Asks for much' });
    await card.getByRole('button', { name: 'Deny' }).waitFor();
    expect(await card.getByRole('button', { name: 'Allow' }).count()).toBe(0);
    await card.getByRole('link', { name: 'Look' }).click();
    const asked = page.getByRole('group', { name: 'Approval' });
    await asked.getByRole('button', { name: 'Show all of it' }).click();
    const shown = await asked.getByLabel('Its input').innerText();
    expect(shown).toContain('drop table ‹U+202E›sresu data:text/plain;base64,QUJDQUJD');
    expect(shown.length).toBeGreaterThan(42_000);
  });

  test('on a phone the parts stand in the place of the log, and nothing is wider than the screen', async () => {
    const made = await makeSession(api, `A ${'very'.repeat(30)} long title`);
    const long = 'w'.repeat(120);
    await append(api.ctx, made.run, [
      ...commandOf('w1', `echo ${'w'.repeat(400)}`, manyLines(3), 0),
      ...callOf('w2', `w__${long}`, long),
      { kind: 'plan', data: { entries: [{ content: long, status: 'pending' }] } },
    ]);
    await keepFile(api, made.run, `${long}.txt`, 'text/plain', 'x');
    const page = await browser.another({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
    await browser.signIn(addressOf(made.id), email, page);
    await page.getByRole('region', { name: 'Log' }).getByText('Now the tests pass.').waitFor();
    for (const name of ['Evidence', 'Changes', 'Terminal', 'Plan', 'Artifacts', 'Context', 'Cost', 'Raw', 'Log']) {
      await page.getByRole('tab', { name }).click();
      await page.getByRole('tabpanel').waitFor();
      if (name === 'Plan') await page.getByRole('list', { name: 'Plan' }).getByText(long).waitFor();
      await page.waitForTimeout(250);
      expect([name, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([name, 360]);
    }
    await page.getByRole('textbox', { name: 'Message', exact: true }).waitFor();
  });
});
