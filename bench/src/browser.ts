import { join } from 'node:path';
import { createPlaywrightDriver } from '../../server/src/adapters/browser/playwright/driver.ts';
import { createBubblewrapDriver } from '../../server/src/adapters/sandbox/bubblewrap/driver.ts';
import type { Sandbox, SandboxDriver } from '../../server/src/adapters/sandbox/port.ts';
import { createProcessDriver } from '../../server/src/adapters/sandbox/process/driver.ts';
import { createGateway } from '../../server/src/gateway/gateway.ts';
import { createLog } from '../../server/src/lib/log.ts';
import { startForwarder, startPeer } from '../../server/test/support/gateway.ts';
import { guardedVisitor, plainVisitor, type Visitor } from '../../server/test/support/ssrf-visitors.ts';
import { openRange, type Range } from '../../server/test/support/ssrf.ts';
import { spreadOf, type Spread } from './agents-figures.ts';

/** Ways to browse, each with more guards than the previous one. */
const columns = ['no guard', '--proxy-server', 'and <-loopback>', 'all, no isolation', 'all, in a sandbox'] as const;
type Column = (typeof columns)[number];

export interface BrowserFigures {
  /** Hits on internal addresses, by group of probes; undefined for a column that was not measured. */
  table: { group: string; probes: number; hits: Partial<Record<Column, number>> }[];
  slowestProbeMs: number;
  openMs: Spread;
  navigateMs: Spread;
  screenshotMs: Spread;
  closeMs: Spread;
  memoryMib: number;
  processes: number;
  threads: number;
}

const executable = '/usr/lib/chromium/chromium-headless-shell';
const limits = { cpu: 2, memory_mb: 4096, disk_mb: 1024, pids: 1024 };
const soon = { timeoutMs: 20_000 };

interface Place {
  directory: string;
  isQuick: boolean;
  say: (line: string) => void;
}

/** Measures what gets past a browser's guards, and the cost of a browser. */
export async function benchBrowser(place: Place): Promise<BrowserFigures> {
  const range = await openRange();
  const pages = await startPeer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(`<title>Page</title>${'<p>Some text of a page, and more of it.</p>'.repeat(200)}`);
  });
  const log = createLog('silent');
  const gateway = createGateway({
    log,
    directory: join(place.directory, 'browser-doors'),
    registries: async () => ({}),
    lookup: range.lookup,
    egressAllow: [...range.egressAllow, { purpose: '*', target: `pages.test:${pages.port}` }],
  });
  try {
    const door = await gateway.open({
      id: 'ses_bench',
      holds: () => Promise.resolve(true),
      repositories: [],
      network: 'open',
      allowedHosts: [],
      api: { url: range.internalUrl, authorization: () => Promise.resolve('Bearer bench') },
    });
    await door.address();
    const world = { ...place, range, socketPath: door.socketPath };
    const cost = await inSandbox(world, 'all, in a sandbox', (sandbox) =>
      measureCost(sandbox, `http://pages.test:${pages.port}/`, place.isQuick ? 3 : 10),
    );
    return { ...(await fillTable(world)), ...cost };
  } finally {
    await gateway.close();
    await pages.close();
    await range.close();
  }
}

interface World extends Place {
  range: Range;
  socketPath: string;
}

async function fillTable(world: World): Promise<Pick<BrowserFigures, 'table' | 'slowestProbeMs'>> {
  const { range, say, isQuick } = world;
  const forwarder = await startForwarder(world.socketPath);
  const rows = new Map<string, BrowserFigures['table'][number]>();
  let slowestProbeMs = 0;
  const fill = async (column: Column, visitor: Visitor, gatewayUrl: string): Promise<void> => {
    say(`what pages reach: ${column}`);
    const guarded = column.startsWith('all');
    for (const probe of range.probes(gatewayUrl, { each: !isQuick })) {
      const row = rows.get(probe.group) ?? { group: probe.group, probes: 0, hits: {} };
      rows.set(probe.group, row);
      if (column === columns[0]) row.probes += 1;
      // Without the gateway these would leave the machine.
      if (probe.group === 'metadata and private' && !guarded) continue;
      const { hits, ms } = await range.run(probe, visitor.visit);
      row.hits[column] = (row.hits[column] ?? 0) + hits;
      if (guarded) slowestProbeMs = Math.max(slowestProbeMs, ms);
    }
    await visitor.close();
  };
  const { hostRules } = range;
  const server = forwarder.url;
  await fill('no guard', await plainVisitor(executable, { hostRules }), server);
  await fill('--proxy-server', await plainVisitor(executable, { hostRules, proxy: { server } }), server);
  const proxy = { server, bypass: '<-loopback>' };
  await fill('and <-loopback>', await plainVisitor(executable, { hostRules, proxy }), server);
  await forwarder.close();
  for (const column of ['all, no isolation', 'all, in a sandbox'] as const)
    await inSandbox(world, column, async (sandbox) => {
      const loopback = column === 'all, in a sandbox';
      const browser = await createPlaywrightDriver().open({ sandbox, loopback });
      await fill(column, guardedVisitor(browser), sandbox.gatewayUrl);
    });
  return { table: [...rows.values()], slowestProbeMs };
}

async function inSandbox<T>(world: World, column: Column, use: (sandbox: Sandbox) => Promise<T>): Promise<T> {
  const options = {
    root: join(world.directory, 'browser-sandboxes'),
    log: createLog('silent'),
    path: process.env['PATH'] ?? '',
  };
  const driver: SandboxDriver =
    column === 'all, no isolation' ? createProcessDriver(options) : createBubblewrapDriver(options);
  const sandbox = await driver.create({
    id: `bench-${columns.indexOf(column)}`,
    limits,
    gateway: { socket: world.socketPath },
    mounts: createPlaywrightDriver().readOnly,
  });
  try {
    return await use(sandbox);
  } finally {
    await sandbox.destroy();
  }
}

async function measureCost(
  sandbox: Sandbox,
  url: string,
  rounds: number,
): Promise<Omit<BrowserFigures, 'table' | 'slowestProbeMs'>> {
  const driver = createPlaywrightDriver();
  const times: Record<'open' | 'navigate' | 'screenshot' | 'close', number[]> = {
    open: [],
    navigate: [],
    screenshot: [],
    close: [],
  };
  const timed = async <T>(what: keyof typeof times, run: () => Promise<T>): Promise<T> => {
    const startedAt = performance.now();
    const result = await run();
    times[what].push(performance.now() - startedAt);
    return result;
  };
  let used = { memoryMib: 0, processes: 0, threads: 0 };
  for (let round = 0; round < rounds; round += 1) {
    const browser = await timed('open', () => driver.open({ sandbox, loopback: true }));
    for (let time = 0; time < 3; time += 1) {
      await timed('navigate', () => browser.navigate(url, soon));
      await timed('screenshot', () => browser.screenshot({ ...soon, fullPage: false }));
    }
    used = await usageOf(sandbox);
    await timed('close', () => browser.close());
  }
  return {
    openMs: spreadOf(times.open),
    navigateMs: spreadOf(times.navigate),
    screenshotMs: spreadOf(times.screenshot),
    closeMs: spreadOf(times.close),
    ...used,
  };
}

/** Returns the usage of Chromium and its driver; shared pages are counted once. */
async function usageOf(sandbox: Sandbox): Promise<{ memoryMib: number; processes: number; threads: number }> {
  const command = `for p in /proc/[0-9]*; do
    if tr '\\0' ' ' < $p/cmdline 2> /dev/null | grep -q -e /chromium/ -e program/main.ts; then
      awk '/^Pss:/ {m = $2} END {printf "%d ", m}' $p/smaps_rollup; awk '/^Threads:/ {print $2}' $p/status
    fi
  done 2> /dev/null | awk '{m += $1; t += $2; n += 1} END {print m, n, t}'`;
  const { stdout } = await sandbox.exec({ command, timeoutMs: 20_000 });
  const [kib = 0, processes = 0, threads = 0] = stdout.toString().trim().split(' ').map(Number);
  return { memoryMib: kib / 1024, processes, threads };
}
