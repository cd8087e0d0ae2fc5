import type { Page } from 'playwright-core';
import { createRuntimeFixture, type RuntimeFixture } from '../support/sessions.ts';
import { createGitUser, withKey } from '../support/git.ts';
import { hire } from './people.ts';
import { openShop } from './world.ts';

const files = {
  'README.md': '# Billing\n\nInvoices, the ledger and payments.\n',
  'package.json':
    '{ "name": "billing", "type": "module", "scripts": { "start": "node src/server.js", "test": "node --test" } }\n',
  'src/due.js': 'export const due = (issued, terms) => new Date(issued.getTime() + terms * 86_400_000);\n',
  'src/due.test.js': `import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { due } from './due.js';

const issued = new Date('2026-11-17');
test('terms are days of the calendar', () => equal(due(issued, 14).toISOString().slice(0, 10), '2026-12-01'));
test('terms of none are due at once', () => equal(due(issued, 0).getTime(), issued.getTime()));
`,
  'src/server.js': `import { createServer } from 'node:http';

const page = '<!doctype html><title>Invoice</title><h1>Invoice 2026-0117</h1><p>Due 1 December 2026</p>';
createServer((_, response) => response.setHeader('content-type', 'text/html').end(page)).listen(3000, '127.0.0.1');
console.log('Listens on http://127.0.0.1:3000');
`,
};

/** Steps of the agent before it began something that takes long. */
const steps = [
  { run: 'cat src/due.js src/due.test.js' },
  { run: `sed -i 's/terms \\* 86_400_000/(terms ?? 30) * 86_400_000/' src/due.js` },
  { run: 'npm test' },
  { run: 'sleep 1800' },
];

/** An organization with a session whose sandbox runs. */
export interface LiveShop {
  fixture: RuntimeFixture;
  /** Address of the session's commands. */
  address: string;
}

/** Starts a worker, and a session in a real sandbox, which is still at work. */
export async function openLiveShop(): Promise<LiveShop> {
  const fixture = await createRuntimeFixture();
  await fixture.worker();
  const shop = await openShop(fixture.api);
  await hire(shop);
  const git = await createGitUser();
  try {
    const made = await shop.ask('POST', '/repositories', { provider: 'local', repo: 'acme/billing' });
    const work = await git.start(files);
    await git.git(work, 'push', '-q', withKey(String(made['clone_url']), fixture.api.adminKey), 'main');
  } finally {
    await git.close();
  }
  const runtime = { runtime: 'script', runtime_config: { steps, summary: '' } };
  const agent = await shop.ask('POST', '//agents', { name: 'Billing', ...runtime });
  const { id } = await shop.ask('POST', '/sessions', {
    prompt: 'Invoices without terms are due after 30 days.',
    title: 'Invoices are due after 30 days',
    repositories: [{ repo: 'acme/billing' }],
    agent_id: agent['id'],
  });
  await fixture.event(String(id), ({ kind, data }) => kind === 'command' && data['command'] === 'sleep 1800');
  return { fixture, address: `/console/default/sessions/${String(id)}?tab=terminal` };
}

/** Opens a shell, looks around, and starts a server in it. */
export async function useShell(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Open a shell' }).click();
  const shell = page.getByRole('region', { name: 'Shell' });
  await shell.getByText(/[#$]$/).first().waitFor();
  const enter = async (command: string, answer: RegExp): Promise<void> => {
    await page.keyboard.type(command);
    await page.keyboard.press('Enter');
    await shell.getByText(answer).first().waitFor();
  };
  await enter('git status --short', /M src\/due\.js/);
  await enter('git --no-pager diff --color -U0', /terms \?\? 30/);
  await enter('npm test', /duration_ms/);
  await enter('npm start &', /Listens on/);
}

/** Looks at that server by its port; the page that opens is not kept. */
export async function usePreview(page: Page): Promise<void> {
  await page.getByRole('region', { name: 'Shell' }).getByRole('button', { name: 'All commands' }).click();
  await page.getByRole('button', { name: 'Preview a port' }).click();
  const form = page.getByRole('dialog', { name: 'Preview a port' });
  await form.getByRole('spinbutton', { name: 'Port' }).fill('3000');
  const opened = page.context().waitForEvent('page');
  await form.getByRole('button', { name: 'Open the preview' }).click();
  const preview = await opened;
  await preview.getByRole('heading', { name: 'Invoice 2026-0117' }).waitFor();
  await preview.close();
  await form.getByText('The server answers.').waitFor();
}

/** Ends the shell with what runs in it. */
export async function leaveShell(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Open a shell' }).click();
  await page.getByRole('button', { name: 'End the shell' }).click();
}
