import type { BrowserContext, Page } from 'playwright-core';
import { append } from '../../server/src/features/sessions/run/run-service.ts';
import { startPeer } from '../../server/test/support/gateway.ts';
import { delta, median, notedIn, openTalk, openWindow, type Talk, type World } from './console-world.ts';

export interface LogFigures {
  events: number;
  /** From the navigation to the first row, and to the first movement after a turn of the wheel. */
  openMs: number;
  scrollMs: number;
  /** The same of a page that holds the same elements, and nothing that runs. */
  bareOpenMs: number;
  /** While the wheel turns through the log; 0 for none of 50 ms or more. */
  longestTaskMs: number;
  /** The same of a page with as many of the same rows, all of them in the page. */
  bareLongestTaskMs: number;
  /** Of the page's JavaScript, before and after it streamed. */
  heapBeforeMb: number;
  heapAfterMb: number;
  minutes: number;
  streamed: number;
}

const messages = 4_000;
const turns = 80;
const perSecond = 30;

/** Measures a log of 20,000 events. */
export async function measureLog(world: World, options: { minutes: number; rounds: number }): Promise<LogFigures> {
  const talk = await openTalk(world, 'A long log');
  await talk.say(0, messages);
  const address = `${world.url}/console/default/sessions/${talk.id}`;
  const context = await openWindow(world);
  // Otherwise the log opens at the place where the last page left it.
  await context.addInitScript('localStorage.clear()');
  world.say('20,000 events');
  const opened = await measureOpening(context, address, options.rounds);
  const page = await context.newPage();
  await page.goto(address);
  await page.getByText(`Message ${messages - 1}.`).waitFor();
  await page.waitForTimeout(1_000);
  const bare = await measureBare(world, await page.content(), options.rounds);
  const longestTaskMs = await turnWheel(page);
  world.say(`${options.minutes} minutes of streaming`);
  await page.getByRole('button', { name: 'Jump to latest' }).click();
  const heap = await measureHeap(world, page, talk, options.minutes);
  await context.close();
  return { events: messages * 5, ...opened, ...bare, longestTaskMs, ...heap, minutes: options.minutes };
}

async function measureOpening(context: BrowserContext, address: string, rounds: number) {
  const times: Awaited<ReturnType<typeof notedIn>>[] = [];
  // The first of them fills the browser's cache.
  for (let round = 0; round <= rounds; round += 1) {
    const page = await context.newPage();
    await page.goto(address, { waitUntil: 'commit' });
    await page.getByText(`Message ${messages - 1}.`).waitFor();
    await page.getByRole('region', { name: 'Log' }).locator('ol').hover();
    await page.mouse.wheel(0, -300);
    await page.waitForFunction('noted.firstScroll > 0');
    if (round > 0) times.push(await notedIn(page));
    await page.close();
  }
  return {
    openMs: median(times.map(({ firstRow }) => firstRow)),
    scrollMs: median(times.map(({ firstScroll }) => firstScroll)),
  };
}

/** Serves what the page looks like: once as it is, and once with the rows that a reader of the log passes. */
async function measureBare(world: World, content: string, rounds: number) {
  const still = content.replaceAll(/<script[^]*?<\/script>/g, '').replaceAll('"/console/', `"${world.url}/console/`);
  const rows = /<li [^]*?<\/li>/.exec(still)?.[0].replace(/style="[^"]*"/, 'style="position: static"') ?? '';
  const many = still.replace(/<ol [^]*<\/ol>/, `<ol>${rows.repeat(2_000)}</ol>`);
  const peer = await startPeer((request, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(request.url === '/many' ? many : still);
  });
  const context = await openWindow(world, false);
  try {
    const times: number[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      const page = await context.newPage();
      await page.goto(peer.url);
      await page.waitForFunction('noted.firstRow > 0');
      if (round > 0) times.push((await notedIn(page)).firstRow);
      await page.close();
    }
    const page = await context.newPage();
    await page.goto(`${peer.url}/many`);
    await page.evaluate('document.querySelector("[aria-label=Log] ol").parentElement.scrollTo(0, 1e9)');
    return { bareOpenMs: median(times), bareLongestTaskMs: await turnWheel(page) };
  } finally {
    await context.close();
    await peer.close();
  }
}

/** Returns the longest task while a reader turns the wheel through a log. */
async function turnWheel(page: Page): Promise<number> {
  await page.getByRole('region', { name: 'Log' }).locator('ol').hover();
  await page.evaluate('void (noted.longest = 0)');
  for (let turn = 0; turn < turns; turn += 1) {
    await page.mouse.wheel(0, -600);
    await page.waitForTimeout(50);
  }
  await page.waitForTimeout(500);
  return (await notedIn(page)).longest;
}

async function measureHeap(world: World, page: Page, talk: Talk, minutes: number) {
  const session = await page.context().newCDPSession(page);
  const usedMb = async (): Promise<number> => {
    await session.send('HeapProfiler.collectGarbage');
    const { usedSize } = await session.send('Runtime.getHeapUsage');
    return usedSize / 1_000_000;
  };
  const heapBeforeMb = await usedMb();
  const total = Math.round(minutes * 60 * perSecond);
  const begun = performance.now();
  // A message of some seconds after the other, three pieces at a time.
  for (let sent = 0; sent < total; sent += 3) {
    const pieces = [0, 1, 2].map((at) => {
      const [n, piece] = [Math.floor((sent + at) / 100), (sent + at) % 100];
      return delta(100_000 + n, piece === 0 ? `Streamed ${n}. ` : 'a few words ', piece === 99);
    });
    await append(world.ctx, talk.run, pieces);
    await page.waitForTimeout(Math.max(0, begun + (sent / perSecond) * 1_000 - performance.now()));
  }
  await page.getByText(`Streamed ${Math.floor((total - 1) / 100)}.`).waitFor();
  return { heapBeforeMb, heapAfterMb: await usedMb(), streamed: total };
}
