import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { script } from '@guildhall/scripted-model';
import { browserProblem } from '../../../../test/support/chromium.ts';
import { createScratch, openWorld } from '../../../../test/support/gateway.ts';
import { createModelFixture, type ModelFixture } from '../../../../test/support/model-sessions.ts';
import { createPlaywrightDriver } from '../../../adapters/browser/playwright/driver.ts';
import { createBubblewrapDriver } from '../../../adapters/sandbox/bubblewrap/driver.ts';
import { createLog } from '../../../lib/log.ts';
import { SessionBrowser } from './session-browser.ts';

let fixture: ModelFixture;
beforeAll(async () => {
  fixture = await createModelFixture();
}, 60_000);
afterAll(() => fixture.close());

const call = (name: string, input: Record<string, unknown> = {}) => ({ call: { name, input } });

async function run(steps: Parameters<typeof script>[0], more: object = {}) {
  const from = fixture.model.requests.length;
  const session = await fixture.run({ prompt: script(steps, { say: 'Done.' }), repositories: [], ...more });
  const events = await fixture.events(session.id);
  const requests = fixture.model.requests.slice(from);
  const tools: unknown = requests[0]?.body['tools'];
  const { rows } = await fixture.api.ctx.db.pool.query<{ given: { browser: unknown } }>(
    'select given from session_contexts where session_id = $1',
    [session.id],
  );
  const of = (kind: string) => events.filter((event) => event.kind === kind).map(({ data }) => data);
  return {
    session,
    requests,
    given: rows[0]?.given.browser,
    results: of('tool_result').map(({ ok, output, artifact_id: artifactId }) => ({
      ok,
      output: String(output),
      artifactId,
    })),
    titles: of('tool_call').map(({ title }) => title),
    offered: (Array.isArray(tools) ? tools : [])
      .map((tool) => String(Object(Object(tool).function ?? tool).name))
      .filter((name) => name.startsWith('browser_')),
  };
}

const application = `
require('node:http').createServer((request, response) => {
  const name = new URL(request.url, 'http://localhost').searchParams.get('name');
  response.setHeader('content-type', 'text/html');
  response.end(name === null
    ? '<title>Who</title><h1>Who are you?</h1><form><input name=name></form><a href="?name=nobody">nobody</a>'
    : '<title>Hello</title><h1>Hello ' + name + '</h1>');
}).listen(8000, '127.0.0.1');`;

test('an agent looks at its own application, and a picture of it is an artifact that it sees', async (context) => {
  if (browserProblem !== '') context.skip(browserProblem);
  const worker = await fixture.startWorker();
  const seen = await run(
    [
      call('browser_click', { selector: 'a' }),
      call('write', { path: 'server.cjs', content: application }),
      call('shell', {
        command:
          'node server.cjs > /dev/null 2>&1 & until (exec 3<>/dev/tcp/127.0.0.1/8000) 2> /dev/null; do sleep 0.1; done; echo up',
      }),
      call('browser_navigate', { url: 'http://localhost:8000/' }),
      call('browser_type', { selector: 'input[name=name]', text: 'Ada', submit: true }),
      call('browser_screenshot', { full_page: null }),
      call('browser_navigate', { url: 'http://127.0.0.1:8000/' }),
      call('browser_click', { selector: 'text=nobody' }),
      call('browser_content', { format: 'html', start: 7 }),
      call('browser_navigate', { url: 'http://127.0.0.1:3128/api/v3/self' }),
      call('browser_navigate', { url: 'http://10.0.0.1/' }),
      call('browser_navigate', { address: 'x' }),
      call('shell', { command: 'kill -9 $(pidof chromium-headless-shell) && echo killed' }),
      call('browser_content'),
      call('browser_navigate', { url: 'http://localhost:8000/?name=again' }),
    ],
    { model: 'anthropic/scripted' },
  );
  expect(seen.session).toMatchObject({ status: 'completed', error: null });
  expect(seen.given).toEqual([{ available: true, problem: '' }]);
  expect(seen.offered).toEqual([
    'browser_navigate',
    'browser_click',
    'browser_type',
    'browser_content',
    'browser_screenshot',
  ]);
  const outputs = seen.results.map(({ output }) => output);
  const artifactId = String(seen.results[5]?.artifactId);
  expect(outputs).toEqual([
    'No page is open. Open a page with browser_navigate.',
    expect.any(String),
    expect.stringContaining('up'),
    'Who\nhttp://localhost:8000/\nStatus: 200\n\nWho are you?\nnobody',
    'Hello\nhttp://localhost:8000/?name=Ada\n\nHello Ada',
    expect.stringMatching(`^Hello\nhttp://localhost:8000/\\?name=Ada\nStored as artifact ${artifactId}.`),
    expect.stringMatching(/^Who\nhttp:\/\/127\.0\.0\.1:8000\//),
    'Hello\nhttp://127.0.0.1:8000/?name=nobody\n\nHello nobody',
    expect.stringMatching(/^Hello\n.*\nCharacters 7 to (\d+) of \1\n\nhead><title>Hello<\/title>/),
    expect.stringMatching(/^127\.0\.0\.1:3128 is not reachable: pages must not use it\./),
    expect.stringMatching(/^10\.0\.0\.1:80 is not reachable: /),
    expect.stringMatching(/^The input is not valid: .*url/),
    expect.stringContaining('killed'),
    // Either the call or the notice of the browser's end comes first.
    expect.stringMatching(
      /^The browser (?:has ended|crashed, and its page is lost)\. Open a page with browser_navigate\.$/,
    ),
    'Hello\nhttp://localhost:8000/?name=again\nStatus: 200\n\nHello again',
  ]);
  expect(seen.titles).toContain('Type into input[name=name]');
  expect(JSON.stringify(seen.requests.at(-1)?.body)).toContain('"media_type":"image/png"');
  const path = `/v3/organizations/default/sessions/${seen.session.id}/artifacts`;
  const { json } = await fixture.api.call('GET', path);
  expect(Object(json).items).toContainEqual(
    expect.objectContaining({ id: artifactId, name: 'screenshot-1.png', content_type: 'image/png' }),
  );
  await worker.close();
}, 120_000);

test('without Chromium there are no such tools, and the context names the reason', async () => {
  const worker = await fixture.startWorker({
    change: (ctx) => ({ ...ctx, browser: createPlaywrightDriver({ executables: [] }) }),
  });
  const seen = await run([]);
  expect(seen.session.status).toBe('completed');
  expect(seen.offered).toEqual([]);
  expect(seen.given).toEqual([
    { available: false, problem: expect.stringContaining("Install Debian's package chromium-headless-shell") },
  ]);
  await worker.close();
});

test('a browser that nobody uses is closed, and another comes with the next page', async (context) => {
  if (browserProblem !== '') context.skip(browserProblem);
  const scratch = await createScratch();
  const driver = createPlaywrightDriver();
  const world = await scratch.closing(openWorld({ directory: join(scratch.path, 'doors') }));
  const sandbox = await createBubblewrapDriver({
    root: join(scratch.path, 'sandboxes'),
    log: createLog('silent'),
    path: process.env['PATH'] ?? '',
  }).create({
    id: 'idle',
    limits: { cpu: 1, memory_mb: 1024, disk_mb: 128, pids: 256 },
    gateway: await world.endpoint.address(),
    mounts: driver.readOnly,
  });
  const browser = new SessionBrowser(driver, { sandbox, loopback: true, idleMs: 50 });
  const { signal } = new AbortController();
  const page = (start: boolean) =>
    browser.use((one) => one.content('text', { timeoutMs: 10_000, signal }), { start, signal });
  expect(await page(true)).toMatchObject({ url: 'about:blank' });
  const running = async () =>
    (await sandbox.exec({ command: 'pidof chromium-headless-shell', timeoutMs: 10_000 })).stdout.toString();
  await expect.poll(running, { timeout: 10_000 }).toBe('');
  await expect(page(false)).rejects.toThrow('The browser was closed because it was idle.');
  expect(await page(true)).toMatchObject({ url: 'about:blank' });
  await browser.close();
  expect(await running()).toBe('');
  await expect(page(true)).rejects.toMatchObject({ code: 'closed' });
  await sandbox.destroy();
  await scratch.dispose();
}, 60_000);
