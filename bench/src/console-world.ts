import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { openDatabase, type Database } from '../../server/src/db/pool.ts';
import type { NewEvent } from '../../server/src/features/sessions/schemas/event-schemas.ts';
import { append, changeStatus, claim, type ClaimedRun } from '../../server/src/features/sessions/run/run-service.ts';
import { systemClock } from '../../server/src/lib/clock.ts';
import { startBarePage, type BarePage } from './console-bare.ts';
import { startProgram, type Started } from './processes.ts';
import { seedSessions } from './seed.ts';
import { caller, type Call } from './session.ts';

/** An installation with sessions, and a browser that is signed in. */
export interface World {
  url: string;
  /** A page of one field and no script. */
  bareUrl: string;
  call: Call;
  ctx: { db: Database; clock: typeof systemClock };
  browser: Browser;
  cookie: { name: string; value: string };
  say: (line: string) => void;
}

export interface OpenedWorld extends World {
  close(): Promise<void>;
}

export const organization = '/v3/organizations/default';
const listed = 200;

/** Starts Chromium, which reaches nothing but this machine. */
export async function launchChromium(args: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: '/usr/lib/chromium/chromium-headless-shell',
    env: { PATH: process.env['PATH'] ?? '' },
    args: ['--no-sandbox', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1', ...args],
  });
}

/** Starts an API on a database, with 200 sessions that ended. */
export async function openWorld(
  options: { connectionString: string; directory: string; say: (line: string) => void },
  browser: Browser,
): Promise<OpenedWorld> {
  const { connectionString, directory, say } = options;
  const data = mkdtempSync(join(directory, 'console-'));
  const server = await startProgram(
    'server/src/main.ts',
    ['--role', 'api', '--port', '0', '--data', data, '--json'],
    { DATABASE_URL: connectionString, GUILDHALL_RATE_LIMIT: '0', GUILDHALL_LOG_LEVEL: 'warn' },
    join(directory, 'console.log'),
  );
  const bare = await startBarePage();
  const db = openDatabase({ connectionString, maxConnections: 6, applicationName: 'bench console' });
  try {
    const url = String(server.ready['url']);
    const key = readFileSync(join(data, 'admin-key'), 'utf8').trim();
    const call = caller(url, key);
    const { id } = await call('GET', organization);
    await seedSessions(db, String(id), listed);
    const world = {
      url,
      bareUrl: bare.url,
      call,
      ctx: { db, clock: systemClock },
      browser,
      cookie: await signIn(url, key),
      say,
    };
    return { ...world, close: () => close(server, db, bare) };
  } catch (error) {
    await close(server, db, bare);
    throw error;
  }
}

async function close(server: Started, db: Database, bare: BarePage): Promise<void> {
  bare.close();
  await db.close();
  await server.stop();
}

async function signIn(url: string, key: string): Promise<World['cookie']> {
  const response = await fetch(`${url}/v3/auth/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-guildhall-csrf': '1' },
    body: JSON.stringify({ key }),
  });
  const [, name, value] = /^([^=]+)=([^;]+)/.exec(response.headers.get('set-cookie') ?? '') ?? [];
  if (name === undefined || value === undefined) throw new Error(`The sign-in answered ${response.status}.`);
  return { name, value };
}

/** Opens a browser's window, without anything cached; it is signed in and watched. */
export async function openWindow(world: World, isSignedIn = true): Promise<BrowserContext> {
  const context = await world.browser.newContext();
  context.setDefaultTimeout(120_000);
  if (isSignedIn) await context.addCookies([{ ...world.cookie, url: 'http://127.0.0.1' }]);
  await context.addInitScript(watching);
  return context;
}

/** Notes what a page's reader would notice. */
const watching = `{
  const noted = { lcp: 0, interactions: {}, longest: 0, firstRow: 0, firstScroll: 0 };
  window.noted = noted;
  const watch = (type, note, options = {}) =>
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true, ...options });
  watch('largest-contentful-paint', (entry) => (noted.lcp = entry.startTime));
  watch('event', (entry) => {
    if (entry.interactionId > 0)
      noted.interactions[entry.interactionId] = Math.max(noted.interactions[entry.interactionId] ?? 0, entry.duration);
  }, { durationThreshold: 16 });
  watch('longtask', (entry) => (noted.longest = Math.max(noted.longest, entry.duration)));
  const rows = new MutationObserver(() => {
    if (document.querySelector('[aria-label=Log] li') === null) return;
    rows.disconnect();
    requestAnimationFrame(() => (noted.firstRow = performance.now()));
  });
  rows.observe(document, { childList: true, subtree: true });
  let top = 0;
  addEventListener('scroll', ({ target }) => {
    if (target.scrollTop < top && noted.firstScroll === 0) noted.firstScroll = performance.now();
    top = target.scrollTop;
  }, { capture: true, passive: true });
}`;

/** Returns what was noted in a page. */
export async function notedIn(
  page: Page,
): Promise<{ lcp: number; inp: number; longest: number; firstRow: number; firstScroll: number }> {
  const noted: unknown = await page.evaluate('({ ...noted, inp: Math.max(0, ...Object.values(noted.interactions)) })');
  const {
    lcp = 0,
    inp = 0,
    longest = 0,
    firstRow = 0,
    firstScroll = 0,
  }: Partial<Record<string, number>> = Object(noted);
  return { lcp, inp, longest, firstRow, firstScroll };
}

/** Makes the processor of a page so many times slower. */
export async function slowDown(page: Page, rate: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate });
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** A session that runs and has messages, each with a step of two calls: five events. */
export interface Talk {
  id: string;
  run: ClaimedRun;
  say(from: number, messages: number): Promise<void>;
}

export async function openTalk(world: World, title: string): Promise<Talk> {
  const { ctx, call } = world;
  const { id } = await call('POST', `${organization}/sessions`, { prompt: title, title });
  const run = await claim(ctx, String(id), 'bench');
  if (run === undefined) throw new Error('a session could not be claimed');
  await changeStatus(ctx, run, { status: 'provisioning', status_detail: '', sandbox_state: 'starting' });
  await changeStatus(ctx, run, { status: 'running', status_detail: 'working', sandbox_state: 'ready' });
  return {
    id: String(id),
    run,
    async say(from, messages) {
      const numbers = Array.from({ length: messages }, (_, at) => from + at);
      for (let at = 0; at < messages; at += 100)
        await append(ctx, run, numbers.slice(at, at + 100).flatMap(messageAndStep));
    },
  };
}

function messageAndStep(n: number): NewEvent[] {
  const words = 'Some words of it, as an agent writes them. '.repeat(n % 3 === 0 ? 12 : 2);
  const calls = ['read', 'search'].flatMap((name): NewEvent[] => [
    { kind: 'tool_call', data: { call_id: `${name}${n}`, name, title: `src/file-${n}.ts`, input: { path: 'x' } } },
    { kind: 'tool_result', data: { call_id: `${name}${n}`, ok: true, output: 'done', artifact_id: null } },
  ]);
  return [delta(n, `Message ${n}. ${words}`, true), ...calls];
}

/** A piece of a message. */
export function delta(n: number, text: string, done: boolean): NewEvent {
  return { kind: 'message', data: { message_id: `m${n}`, role: 'agent', delta: text, done, state: 'delivered' } };
}
