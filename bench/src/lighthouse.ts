import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import { requirePeer } from '../../server/test/hosts/peers.ts';
import { launchChromium, median, openTalk, openWorld, type World } from './console-world.ts';
import type { Row } from './row.ts';

const categories = ['performance', 'accessibility', 'best-practices'] as const;
const presets = ['desktop', 'mobile'] as const;

/** The scores of one page, from 0 to 100. */
export interface LighthouseFigures {
  page: string;
  preset: (typeof presets)[number];
  scores: Record<(typeof categories)[number], number>;
  /** The checks that cost points, with what Lighthouse says of them. */
  problems: string[];
}

const Answer = Type.Object({
  categories: Type.Record(
    Type.String(),
    Type.Object({
      score: Type.Union([Type.Number(), Type.Null()]),
      auditRefs: Type.Array(Type.Object({ id: Type.String(), weight: Type.Number() })),
    }),
  ),
  audits: Type.Record(
    Type.String(),
    Type.Object({
      title: Type.String(),
      score: Type.Union([Type.Number(), Type.Null()]),
      displayValue: Type.Optional(Type.String()),
    }),
  ),
});
type Answer = Static<typeof Answer>;

/** Lets Lighthouse judge pages of the console in Chromium: the median of some rounds. */
export async function benchLighthouse(options: {
  connectionString: string;
  directory: string;
  rounds: number;
  signal: AbortSignal;
  say: (line: string) => void;
}): Promise<LighthouseFigures[]> {
  const { rounds, signal, say } = options;
  const port = await freePort();
  const browser = await launchChromium([`--remote-debugging-port=${port}`]);
  try {
    const world = await openWorld(options, browser);
    try {
      const figures: LighthouseFigures[] = [];
      for (const { page, address, isSignedIn } of await pagesOf(world)) {
        await setCookie(world, isSignedIn);
        for (const preset of presets) {
          say(`Lighthouse: ${page}, ${preset}`);
          const answers: Answer[] = [];
          for (let round = 0; round < rounds; round += 1) answers.push(await judge({ address, port, preset, signal }));
          const figure = { page, preset, ...summaryOf(answers) };
          for (const problem of figure.problems) say(`  ${problem}`);
          figures.push(figure);
        }
      }
      return figures;
    } finally {
      await world.close();
    }
  } finally {
    await browser.close();
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('There is no free port.');
  return address.port;
}

async function pagesOf(world: World) {
  const talk = await openTalk(world, 'Fix the totals of orders');
  await talk.say(0, 40);
  const at = `${world.url}/console/default/sessions`;
  return [
    { page: 'sign-in page', address: `${world.url}/console/-/sign-in`, isSignedIn: false },
    { page: 'list of sessions', address: at, isSignedIn: true },
    { page: 'session', address: `${at}/${talk.id}`, isSignedIn: true },
  ];
}

/** Sets or removes the cookie for the tabs that Lighthouse opens itself. */
async function setCookie({ browser, cookie, url }: World, isSignedIn: boolean): Promise<void> {
  const session = await browser.newBrowserCDPSession();
  if (isSignedIn) await session.send('Storage.setCookies', { cookies: [{ ...cookie, url, httpOnly: true }] });
  else await session.send('Storage.clearCookies', {});
  await session.detach();
}

async function judge({
  address,
  port,
  preset,
  signal,
}: {
  address: string;
  port: number;
  preset: (typeof presets)[number];
  signal: AbortSignal;
}): Promise<Answer> {
  const options = [
    `--port=${port}`,
    `--only-categories=${categories.join(',')}`,
    ...(preset === 'desktop' ? ['--preset=desktop'] : []),
    '--output=json',
    '--quiet',
    '--no-enable-error-reporting',
    '--disable-storage-reset',
  ];
  const program = requirePeer.resolve('lighthouse/cli/index.js');
  const limits = { timeout: 180_000, maxBuffer: 64 * 1024 ** 2, signal };
  const { stdout } = await promisify(execFile)(process.execPath, [program, address, ...options], limits);
  return Value.Parse(Answer, JSON.parse(stdout));
}

function summaryOf(answers: readonly Answer[]): Pick<LighthouseFigures, 'scores' | 'problems'> {
  const score = (category: string): number =>
    median(answers.map((answer) => Math.round((answer.categories[category]?.score ?? 0) * 100)));
  const [performance, accessibility, bestPractices] = categories;
  const scores = {
    [performance]: score(performance),
    [accessibility]: score(accessibility),
    [bestPractices]: score(bestPractices),
  };
  return { scores, problems: [...new Set(answers.flatMap(problemsOf))] };
}

/** Returns the checks that cost points: of performance, those that cost the most. */
function problemsOf({ categories: found, audits }: Answer): string[] {
  return Object.entries(found).flatMap(([category, { auditRefs }]) =>
    auditRefs.flatMap(({ id, weight }) => {
      const { title = id, score = null, displayValue = '' } = audits[id] ?? {};
      const isProblem = weight > 0 && score !== null && score < (category === 'performance' ? 0.9 : 1);
      return isProblem ? [`${category}: ${[title, displayValue].filter((part) => part !== '').join(', ')}`] : [];
    }),
  );
}

export function lighthouseRows(figures: readonly LighthouseFigures[] | undefined): Row[] {
  return (figures ?? []).map(({ page, preset, scores }) => ({
    what: `Lighthouse, ${page} of the console, ${preset}: performance, accessibility, best practices`,
    figure: Object.values(scores).join(', '),
    target: 'accessibility 100',
    holds: scores.accessibility === 100,
  }));
}
