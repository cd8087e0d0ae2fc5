import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createRuntimeFixture, type RuntimeFixture, type TestRepository } from '../../../test/support/sessions.ts';
import { lookInBothThemes } from './axe-fixture.ts';
import { createPerson, useConsoleBrowser } from './browser-fixture.ts';

const email = 'judge@example.com';
const summary = 'greet() reads its argument.';

const files = {
  'src/greet.js': "/** Greets somebody by name. */\nexports.greet = (name) => 'Hello, ' + nmae;\n",
  'src/greet.test.js': `const { equal } = require('node:assert');
const { test } = require('node:test');
const { greet } = require('./greet.js');

test('greets by name', () => equal(greet('Ada'), 'Hello, Ada'));
`,
};

/** The work of an agent in its first three turns; it keeps the message that began the second. */
const turns = [
  'sed -i s/nmae/name/ src/greet.js; sed -i s/Ada/Grace/g src/greet.test.js',
  `cp "$GUILDHALL_PROMPT_FILE" review.md; sed -i "s/'Hello, ' + name/['Hello', name].join(', ')/" src/greet.js`,
  `rm review.md; echo "exports.part = (name) => 'Bye, ' + name;" >> src/greet.js`,
];
const cases = turns.map((run, at) => `*-${at + 1}.md) ${run};;`);
const agent = { steps: [{ run: `case $GUILDHALL_PROMPT_FILE in ${cases.join(' ')} esac` }], summary };

/** The message that three comments become. */
const review = `src/greet.js, line 2:
Join a list.

src/greet.js, line 2 before the change:
Was it never tested?

src/greet.test.js, line 5:
Why Grace?`;

let fixture: RuntimeFixture;
beforeAll(async () => {
  fixture = await createRuntimeFixture();
  await fixture.worker();
  await createPerson(fixture.api, email, 'member');
});
afterAll(() => fixture.close());

describe('a result', () => {
  const browser = useConsoleBrowser(() => fixture.api);
  let page: Page;
  beforeEach(async () => {
    page = browser.page;
    await page.emulateMedia({ reducedMotion: 'reduce' });
  });
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const details = () => page.getByRole('complementary', { name: 'Details' });

  async function messagesTo(session: string): Promise<string[]> {
    const { json } = await fixture.api.call('GET', `/v3/organizations/default/sessions/${session}/messages`);
    return Object(json).items.map(({ content }: { content: string }) => content);
  }

  /** Comments on three lines, two of them side by side, and one by the keyboard alone. */
  async function commentOnLines(): Promise<void> {
    await details()
      .getByRole('tab', { name: /^Changes/ })
      .click();
    await button('Side by side').click();
    const lines = details().locator('[data-diff-type=split]');
    await lines.locator('[data-deletions]').getByText('nmae').waitFor();
    await lines.locator('[data-additions] [data-column-number="2"]').click();
    const field = (line: string) => details().getByRole('textbox', { name: `Comment on line ${line}`, exact: true });
    await field('2').fill('Join a list.');
    await lines.locator('[data-deletions] [data-column-number="2"]').click();
    await field('2 before the change').fill('Was it never tested?');
    await details()
      .getByRole('button', { name: /greet\.test\.js/ })
      .click();
    await page.waitForURL(/file=src%2Fgreet\.test\.js|file=src\/greet\.test\.js/);
    await lines.locator('[data-additions]').getByText('Grace').first().waitFor();
    await details().getByRole('spinbutton', { name: 'Line of the shown file' }).fill('5');
    await page.keyboard.press('Enter');
    await field('5').and(page.locator(':focus')).waitFor();
    await page.keyboard.insertText('Why Grace?');
    // What is not sent yet survives.
    await page.reload();
    await details().getByText('3 comments on').waitFor();
    expect(await field('5').inputValue()).toBe('Why Grace?');
  }

  /** Looks at what the second turn did, by a choice that survives a reload, and at everything again. */
  async function compareWithTheFirstTurn(): Promise<void> {
    const file = (name: RegExp) => details().getByRole('navigation').or(details()).getByRole('button', { name });
    const since = details().getByRole('combobox', { name: 'Changes since' });
    const [end] = await since.locator('optgroup[label="Turn 1"] option').all();
    await since.selectOption((await end?.getAttribute('value')) ?? '');
    await file(/greet\.test\.js/)
      .first()
      .waitFor({ state: 'detached' });
    await page.reload();
    await file(/greet\.js/)
      .first()
      .click();
    await details().locator('[data-deletions]').getByText("'Hello, ' + name").waitFor();
    expect(await details().getByRole('link', { name: 'Download the patch' }).count()).toBe(0);
    expect(await lookInBothThemes(page, 'changes since a checkpoint')).toEqual([]);
    await page.goto(page.url().replace(/since=[^&#]*/, 'since=chk_none'));
    await details().getByText('No checkpoint "chk_none" exists here.').waitFor();
    await since.selectOption('Since the start');
    await file(/greet\.test\.js/)
      .first()
      .waitFor();
  }

  async function headOf(repository: TestRepository) {
    const [request, ...others] = await fixture.changeRequests(repository);
    expect(others).toEqual([]);
    return request;
  }

  test('is proven, commented on three lines in one message, done again in the same change request, and merged', async () => {
    const repository = await fixture.repository(files);
    const prompt = 'greet() throws a ReferenceError';
    const { id } = await fixture.create({ repository, prompt, agent, verify_command: 'node --test' });
    await browser.signIn(`/console/default/sessions/${id}`, email);
    await page.getByText('Verified', { exact: true }).first().waitFor();
    await details().getByText('The check failed before the work and passes after it.').waitFor();
    const check = details().getByRole('region', { name: 'node --test' });
    await check.getByText(/^exit 1 · /).waitFor();
    await check.getByText('nmae is not defined').first().waitFor();
    await check.getByText(/^exit 0 · /).waitFor();
    await details().getByText('The change alters a test:').waitFor();
    const first = await headOf(repository);

    await commentOnLines();
    expect(await lookInBothThemes(page, 'comments on lines')).toEqual([]);
    await button('Send as one message').click();
    await details().getByRole('region', { name: 'Comments' }).waitFor({ state: 'detached' });
    expect(await messagesTo(id)).toEqual([prompt, review]);
    const log = page.getByRole('region', { name: 'Log' });
    await log.getByText('Was it never tested?').waitFor();
    await log.getByText('Updated change request #1 of').waitFor();
    // What is shown is the second turn's work, without a reload.
    await details()
      .getByRole('button', { name: /review\.md/ })
      .click();
    await details().locator('[data-additions]').getByText('Join a list.').waitFor();
    await page.getByRole('link', { name: 'Change request #1, open' }).waitFor();
    await compareWithTheFirstTurn();
    const second = await headOf(repository);
    expect(second?.head_sha).not.toBe(first?.head_sha);
    const branch = await fixture.clone(repository, second?.head_ref ?? '');
    expect(await fixture.git(branch, 'rev-parse', 'HEAD', 'HEAD^')).toBe(`${second?.head_sha}\n${first?.head_sha}`);
    expect(await readFile(join(branch, 'review.md'), 'utf8')).toBe(review);

    await judgeTheRequest(prompt, id);
    expect((await messagesTo(id)).slice(2)).toEqual([
      expect.stringMatching(
        /^About change request #1:\n\nAlso say good-bye\.\n\nsrc\/greet\.js, line 2:\n.+: In which language\?$/,
      ),
    ]);
    const clone = await fixture.clone(repository, 'main');
    expect(await readFile(join(clone, 'src/greet.js'), 'utf8')).toBe(
      "/** Greets somebody by name. */\nexports.greet = (name) => ['Hello', name].join(', ');\nexports.part = (name) => 'Bye, ' + name;\n",
    );
    expect(await fixture.git(clone, 'rev-list', '--count', 'HEAD')).toBe('2');
    expect(await lookInBothThemes(page, 'a merged change request')).toEqual([]);
  });

  /** Reads the change request, comments on it, sends it back, and merges what comes of that. */
  async function judgeTheRequest(title: string, id: string): Promise<void> {
    await page.getByRole('navigation').getByRole('link', { name: 'Change requests' }).first().click();
    const row = page.getByRole('row', { name: title });
    await row.getByText('Verified').waitFor();
    await row.getByRole('link', { name: title }).click();
    const proof = page.getByRole('region', { name: 'Proof' });
    await proof.getByText('exit 1').waitFor();
    await proof.getByText('exit 0').waitFor();
    // It says once that it is proven, and once by which session.
    await proof.getByRole('link', { name: title }).waitFor();
    expect(await page.getByRole('main').getByText('Verified', { exact: true }).count()).toBe(1);
    expect(await page.getByRole('main').getByText(title, { exact: true }).count()).toBe(2);
    await proof.getByText('The change alters a test: src/greet.test.js').waitFor();
    await page
      .getByRole('navigation', { name: 'Changed files' })
      .getByRole('button', { name: /greet\.js/ })
      .click();
    await page.waitForURL(/file=src/);
    const shown = page.locator('[data-diff-type=split]').filter({ hasText: 'exports.greet' });
    await shown.getByText('join').first().waitFor();
    await page.getByRole('spinbutton', { name: 'Line of the shown file' }).fill('2');
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'About line 2' }).fill('In which language?');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('article').filter({ hasText: 'In which language?' }).waitFor();
    await page.getByRole('textbox', { name: 'About line 2' }).waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: /^Conversation/ }).click();
    await page.getByRole('textbox', { name: 'Comment on the whole change' }).fill('Reads well.');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('link', { name: 'src/greet.js:2' }).waitFor();
    const link = page.getByRole('link', { name: id });
    expect(await link.getAttribute('href')).toBe(`${fixture.api.url}/console/default/sessions/${id}`);
    const praise = page.getByRole('group').filter({ hasText: 'Reads well.' });
    await praise.getByRole('button', { name: 'Resolve' }).click();
    await praise.getByText('Resolved').waitFor();
    expect(await lookInBothThemes(page, 'a conversation')).toEqual([]);
    await page.getByRole('tab', { name: /^Changes/ }).click();
    await page
      .getByRole('navigation', { name: 'Changed files' })
      .getByRole('button', { name: /review\.md/ })
      .click();
    await page.getByRole('spinbutton', { name: 'Line of the shown file' }).fill('1');
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'About line 1' }).fill('Keep it out.');
    await button('Send back').click();
    await page.getByRole('textbox', { name: 'What should the session change?' }).fill('Also say good-bye.');
    expect(await page.getByRole('checkbox', { name: 'With the open comment' }).isChecked()).toBe(true);
    await button('Send to the session').click();
    await page.getByText('The session has your message.').first().waitFor();
    // The session's next turn shows while the page is open.
    await shown.getByText('Bye').first().waitFor();
    // What was begun about a file that it took back is not lost.
    const left = page.getByRole('region', { name: 'Comments not sent' });
    await left.getByText('Keep it out.').waitFor();
    await left.getByRole('button', { name: 'Comment on the whole change' }).click();
    const whole = page.getByRole('textbox', { name: 'Comment on the whole change' });
    expect(await whole.inputValue()).toBe('review.md, line 1:\nKeep it out.');
    await page.getByRole('combobox', { name: 'How to merge' }).selectOption('squash');
    await button('Squash and merge').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Squash and merge' }).click();
    await page.getByText('Merged', { exact: true }).waitFor();
    expect(await button('Send back').count()).toBe(1);
    expect(await page.getByRole('combobox', { name: 'How to merge' }).count()).toBe(0);
  }
});
