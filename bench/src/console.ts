import { loadavg } from 'node:os';
import { measureLog, type LogFigures } from './console-log.ts';
import { measureLine, measureTabs, type LineFigures, type TabFigures } from './console-line.ts';
import { launchChromium, median, notedIn, openWindow, openWorld, slowDown, type World } from './console-world.ts';

export interface ConsoleFigures {
  /** The load of the machine over a minute, before anything was measured. */
  loadBefore: number;
  first: FirstLoad;
  slow: { lcpMs: number; bareLcpMs: number; inpMs: number; bareInpMs: number };
  log: LogFigures;
  line: LineFigures;
  tabs: TabFigures;
}

/** The bytes of a first visit to the list of sessions as they are sent, in kB. */
interface FirstLoad {
  codeKb: number;
  fontsKb: number;
  dataKb: number;
}

/** Measures the console in Chromium, each figure against a bare page of the same run. */
export async function benchConsole(options: {
  connectionString: string;
  directory: string;
  /** Minutes of streaming before the memory of the page is measured. */
  minutes: number;
  rounds: number;
  say: (line: string) => void;
}): Promise<ConsoleFigures> {
  const { minutes, rounds, say } = options;
  const loadBefore = loadavg()[0] ?? 0;
  const browser = await launchChromium();
  try {
    const world = await openWorld(options, browser);
    try {
      say('first load');
      const first = await measureFirst(world);
      say('four times slower');
      const slow = await measureSlow(world, rounds);
      return {
        loadBefore,
        first,
        slow,
        log: await measureLog(world, { minutes, rounds }),
        line: await measureLine(world),
        tabs: await measureTabs(world),
      };
    } finally {
      await world.close();
    }
  } finally {
    await browser.close();
  }
}

async function measureFirst(world: World): Promise<FirstLoad> {
  const context = await openWindow(world);
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  const types = new Map<string, string>();
  const kb = { codeKb: 0, fontsKb: 0, dataKb: 0 };
  session.on('Network.responseReceived', ({ requestId, type }) => types.set(requestId, type));
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const type = types.get(requestId) ?? '';
    const kind = ['Script', 'Stylesheet'].includes(type) ? 'codeKb' : type === 'Font' ? 'fontsKb' : 'dataKb';
    kb[kind] += encodedDataLength / 1_000;
  });
  await session.send('Network.enable');
  await page.goto(`${world.url}/console/default/sessions`);
  await page
    .getByRole('link', { name: /^Fix the parser/ })
    .first()
    .waitFor();
  await page.evaluate('document.fonts.ready.then(() => undefined)');
  await context.close();
  return kb;
}

/** Loads and uses the list and a session on a processor that is four times slower; the bare page has one field. */
async function measureSlow(world: World, rounds: number): Promise<ConsoleFigures['slow']> {
  const figures = { lcpMs: [0], bareLcpMs: [0], inpMs: [0], bareInpMs: [0] };
  for (const list of Object.values(figures)) list.pop();
  for (let round = 0; round < rounds; round += 1) {
    const context = await openWindow(world);
    const page = await context.newPage();
    await slowDown(page, 4);
    await page.goto(`${world.url}/console/default/sessions`);
    await page
      .getByRole('link', { name: /^Fix the parser/ })
      .first()
      .waitFor();
    figures.lcpMs.push((await settled(page)).lcp);
    await page.getByRole('link', { name: 'Table', exact: true }).click();
    await page.getByRole('table', { name: 'Sessions' }).waitFor();
    await page.getByRole('searchbox').first().pressSequentially('parser 1', { delay: 60 });
    await page.keyboard.press('Enter');
    await page.waitForURL(/q=parser/);
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('set', { delay: 60 });
    await page.keyboard.press('Escape');
    await page
      .getByRole('table')
      .getByRole('link', { name: /^Fix the parser/ })
      .first()
      .click();
    for (const name of ['Plan', 'Cost', 'Raw', 'Evidence']) await page.getByRole('tab', { name }).click();
    figures.inpMs.push((await settled(page)).inp);
    await context.close();

    const plain = await openWindow(world, false);
    const bare = await plain.newPage();
    await slowDown(bare, 4);
    await bare.goto(world.bareUrl);
    await bare.locator('[name=email]').pressSequentially('somebody', { delay: 60 });
    const { lcp, inp } = await settled(bare);
    figures.bareLcpMs.push(lcp);
    figures.bareInpMs.push(inp);
    await plain.close();
  }
  return {
    lcpMs: median(figures.lcpMs),
    bareLcpMs: median(figures.bareLcpMs),
    inpMs: median(figures.inpMs),
    bareInpMs: median(figures.bareInpMs),
  };
}

/** Returns what was noted when nothing came for a second. */
async function settled(page: Parameters<typeof notedIn>[0]): ReturnType<typeof notedIn> {
  await page.waitForTimeout(1_000);
  return notedIn(page);
}
