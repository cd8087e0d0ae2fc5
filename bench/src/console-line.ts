import type { Page } from 'playwright-core';
import { startLine, type Line } from '../../server/test/support/line.ts';
import { openTalk, openWindow, organization, type World } from './console-world.ts';

export interface LineFigures {
  /** Until a reader is told: the browser is offline; the server is away. */
  offlineMs: number;
  cutMs: number;
  /** Until the list of sessions is there, over 600 ms and 400 kbit/s: with nothing cached, and again. */
  firstListMs: number;
  nextListMs: number;
  /** The same, of a page of one field. */
  bareMs: number;
}

export interface TabFigures {
  /** The slowest of eight tabs, and the first of them alone, to its log. */
  slowestMs: number;
  aloneMs: number;
  /** From a change to its arrival in the tab that is seen: with all eight, and right after the first was closed. */
  arrivalMs: number;
  afterCloseMs: number;
}

const slow = { latencyMs: 300, bytesPerSecond: 50_000 };

async function since(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

export async function measureLine(world: World): Promise<LineFigures> {
  world.say('a bad line');
  const line = await startLine(world.url);
  try {
    return { ...(await measureLoss(world, line)), ...(await measureSlowness(world, line)) };
  } finally {
    await line.close();
  }
}

async function measureLoss(world: World, line: Line) {
  const talk = await openTalk(world, 'Over a line');
  await talk.say(0, 20);
  const context = await openWindow(world);
  const page = await context.newPage();
  await page.goto(`${line.url}/console/default/sessions/${talk.id}`);
  await page.getByText('Message 19.').waitFor();
  const strip = page.getByText('Reconnecting. Lost for');
  line.swallow();
  const offlineMs = await since(async () => {
    await context.setOffline(true);
    await strip.waitFor();
  });
  line.mend();
  await context.setOffline(false);
  await strip.waitFor({ state: 'detached' });
  line.cut();
  const cutMs = await since(() => strip.waitFor());
  line.mend();
  await context.close();
  return { offlineMs, cutMs };
}

async function measureSlowness(world: World, line: Line) {
  line.mend(slow);
  const context = await openWindow(world);
  const page = await context.newPage();
  const list = async (): Promise<void> => {
    await page.goto(`${line.url}/console/default/sessions`, { waitUntil: 'commit' });
    await page
      .getByRole('link', { name: /^Fix the parser/ })
      .first()
      .waitFor();
  };
  const firstListMs = await since(list);
  await page.goto('about:blank');
  const nextListMs = await since(list);
  await context.close();
  const bareLine = await startLine(world.bareUrl);
  bareLine.mend(slow);
  const plain = await openWindow(world, false);
  const bare = await plain.newPage();
  const bareMs = await since(async () => {
    await bare.goto(bareLine.url, { waitUntil: 'commit' });
    await bare.locator('[name=email]').waitFor();
  });
  await plain.close();
  await bareLine.close();
  line.mend();
  return { firstListMs, nextListMs, bareMs };
}

/** Only one tab is seen at a time; Chromium without a screen shows all. */
const visibility = `{
  let isHidden = false;
  Object.defineProperty(document, 'hidden', { get: () => isHidden });
  Object.defineProperty(document, 'visibilityState', { get: () => (isHidden ? 'hidden' : 'visible') });
  window.hide = () => {
    isHidden = true;
    document.dispatchEvent(new Event('visibilitychange'));
  };
}`;

export async function measureTabs(world: World): Promise<TabFigures> {
  world.say('eight tabs');
  const context = await openWindow(world);
  await context.addInitScript(visibility);
  const tabs: Page[] = [];
  const times: number[] = [];
  let seen = '';
  for (let n = 0; n < 8; n += 1) {
    const talk = await openTalk(world, `Tab ${n}`);
    await talk.say(0, 200);
    await tabs.at(-1)?.evaluate('hide()');
    const tab = await context.newPage();
    tabs.push(tab);
    seen = talk.id;
    const open = async (): Promise<void> => {
      await tab.goto(`${world.url}/console/default/sessions/${talk.id}`, { waitUntil: 'commit' });
      await tab.getByText('Message 199.').waitFor();
    };
    // The first of them fills the browser's cache.
    if (n === 0) await open();
    times.push(await since(open));
  }
  const last = tabs.at(-1);
  if (last === undefined) throw new Error('no tab is open');
  const rename = (title: string) =>
    since(async () => {
      await world.call('PATCH', `${organization}/sessions/${seen}`, { title });
      await last.getByRole('heading', { level: 1, name: title }).waitFor();
    });
  const arrivalMs = await rename('Told to all');
  await tabs[0]?.close();
  const afterCloseMs = await rename('Told to the rest');
  await context.close();
  return { slowestMs: Math.max(...times), aloneMs: times[0] ?? 0, arrivalMs, afterCloseMs };
}
