import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { inspect } from 'node:util';
import { startEmbedded } from '../../server/src/db/embedded/start.ts';
import { createLog } from '../../server/src/lib/log.ts';
import { benchAgents } from './agents.ts';
import { benchApi } from './api.ts';
import { benchAudit } from './audit.ts';
import { benchAutomations } from './automations.ts';
import { benchBrowser } from './browser.ts';
import { benchCode } from './code.ts';
import { benchConsole } from './console.ts';
import { benchConsumption } from './consumption.ts';
import { benchCores } from './cores.ts';
import { benchEvents } from './events.ts';
import { readFlags } from './flags.ts';
import { benchGrowth } from './growth.ts';
import { benchHostile } from './hostile.ts';
import { benchKnowledge } from './knowledge.ts';
import { benchLargeRepository } from './large-repository.ts';
import { benchLighthouse } from './lighthouse.ts';
import { benchNewSessions } from './new-sessions.ts';
import { benchOpenStreams } from './open-streams.ts';
import { leftAlone, stopPrograms } from './processes.ts';
import { benchPackages } from './packages.ts';
import { benchPrograms } from './programs.ts';
import { benchQueue } from './queue.ts';
import { tableOf, type Results } from './report.ts';
import { benchSessions } from './session.ts';
import { benchStreams } from './streams.ts';
import { benchWaiting } from './waiting.ts';

const usage = `npm run bench -- [--quick] [--json] [--sessions <of consumption or growth>] [--kept <directory>] [--minutes <of streaming to the console>] [--profile <directory for CPU profiles of new-sessions and large-repository>] [--only agents,api,audit,automations,browser,code,console,consumption,cores,events,growth,hostile,knowledge,large-repository,lighthouse,new-sessions,open-streams,packages,programs,queue,sessions,streams,waiting]`;
const values = readFlags(usage, {
  quick: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  sessions: { type: 'string', default: '' },
  kept: { type: 'string', default: '' },
  minutes: { type: 'string', default: '1' },
  profile: { type: 'string', default: '' },
  only: {
    type: 'string',
    default:
      'programs,sessions,new-sessions,agents,api,events,audit,automations,queue,open-streams,knowledge,browser,code,console,hostile',
  },
});
await bench();

/**
 * Measures everything on this machine in one run. With a million sessions it takes longer: about twelve minutes on two
 * cores.
 */
async function bench(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'guildhall-bench-'));
  const interrupted = interruption();
  try {
    const results = await measure(directory, interrupted);
    process.stdout.write(values.json ? `${JSON.stringify(results, null, 2)}\n` : `\n${tableOf(results)}\n`);
  } catch (error) {
    // The failure is a consequence of the interruption.
    if (!interrupted.aborted) throw error;
    process.exitCode = 130;
  } finally {
    await stopPrograms();
    await leftAlone(directory);
    rmSync(directory, { recursive: true, force: true });
  }
}

async function measure(directory: string, signal: AbortSignal): Promise<Results> {
  const asked = new Set(values.only.split(','));
  const say = (line: string): void => void process.stderr.write(`· ${line}\n`);
  const results: Results = {};
  for (const { names, run } of partsOf(directory, signal, say, asked)) {
    if (!names.some((name) => asked.has(name))) continue;
    try {
      Object.assign(results, await run());
    } catch (error) {
      if (signal.aborted) throw error;
      // The other parts' figures count without it.
      process.stderr.write(`${names.join(' and ')} failed: ${inspect(error)}\n`);
      process.exitCode = 1;
    }
  }
  return results;
}

/** Returns everything that can be measured, in order. */
function partsOf(
  directory: string,
  signal: AbortSignal,
  say: (line: string) => void,
  asked: ReadonlySet<string>,
): { names: string[]; run: () => Promise<Results> }[] {
  const { quick: isQuick, profile } = values;
  const part = <Name extends keyof Results>(name: string, key: Name, run: () => Promise<Results[Name]>) => ({
    names: [name],
    run: async (): Promise<Results> => ({ [key]: await run() }),
  });
  const [streams, sessions] = isQuick ? [100, 20] : [1_000, 200];
  return [
    part('programs', 'programs', () => benchPrograms(isQuick, say)),
    part('sessions', 'sessions', () => benchSessions(directory, isQuick ? 4 : 8, say)),
    part('new-sessions', 'newSessions', () => benchFirstTurns(directory, signal, say)),
    part('agents', 'agents', () => benchAgents({ directory, isQuick, signal, say })),
    { names: ['api', 'events'], run: () => benchDatabase(directory, asked, say) },
    part('audit', 'audit', () => benchAuditTrail(directory, say)),
    part('automations', 'automations', () => benchSchedulers(directory, say)),
    part('queue', 'queue', () => benchQueue({ directory, isQuick, say })),
    part('open-streams', 'openStreams', () => benchOpenStreams({ directory, isQuick, say })),
    part('knowledge', 'knowledge', () => benchRetrieval(directory, say)),
    part('browser', 'browser', () => benchBrowser({ directory, isQuick, say })),
    part('code', 'code', () => benchCode({ directory, lines: isQuick ? 100_000 : 1_000_000, say })),
    part('console', 'console', () => benchPages(directory, say)),
    part('lighthouse', 'lighthouse', () => benchJudgement(directory, signal, say)),
    part('consumption', 'consumption', () => benchRollups(directory, say)),
    part('growth', 'growth', () => benchSize(directory, say)),
    // By name only: it needs the network, and 8 GB.
    part('packages', 'packages', () =>
      benchPackages({ directory, packages: isQuick ? 200 : 839, rounds: isQuick ? 1 : 3, say }),
    ),
    // By name only: it takes minutes and 8 GB.
    part('large-repository', 'largeRepository', () =>
      benchLargeRepository({ directory, isQuick, profile, signal, say }),
    ),
    part('cores', 'cores', () => benchCores({ directory, isQuick, signal, say })),
    part('streams', 'streams', () => benchStreams({ directory, streams, sessions, say })),
    part('waiting', 'waiting', () =>
      benchWaiting({ directory, sessions: isQuick ? [0, 20] : [0, 250, 1_000], signal, say }),
    ),
    part('hostile', 'hostile', () => benchHostile(directory, say)),
  ];
}

/** Returns a signal that aborts at Ctrl-C or SIGTERM, and stops started programs: each part then ends by itself. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  // A terminal and npm may both deliver it: the handlers stay, so that everything is always cleaned up.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      controller.abort(new Error(`ended by ${signal}`));
      void stopPrograms();
    });
  return controller.signal;
}

/** `--profile` writes the CPU profiles of the measured servers, for a flame graph in any viewer of them. */
async function benchFirstTurns(
  directory: string,
  signal: AbortSignal,
  say: (line: string) => void,
): Promise<Results['newSessions']> {
  const profile = values.profile === '' ? '' : resolve(values.profile);
  const isQuick = values.quick;
  const figures = await benchNewSessions({ directory, isQuick, profile, signal, say });
  const embedded = await startEmbedded({ dataDir: join(directory, 'new-sessions-database'), log: createLog('warn') });
  try {
    const { connectionString } = embedded;
    const options = { connectionString, directory, sizes: [10_000], rounds: isQuick ? 1 : 3, connections: 16 };
    return { ...figures, api: await benchApi({ ...options, seconds: isQuick ? 4 : 8, profile, say }) };
  } finally {
    await embedded.stop();
  }
}

/** Uses a separate database, because the audit log of the other parts would be measured, too. */
async function benchAuditTrail(directory: string, say: (line: string) => void): Promise<Results['audit']> {
  const embedded = await startEmbedded({ dataDir: join(directory, 'audit-database'), log: createLog('warn') });
  try {
    return await benchAudit({
      connectionString: embedded.connectionString,
      directory,
      entries: values.quick ? 100_000 : 1_000_000,
      seconds: values.quick ? 4 : 8,
      rounds: values.quick ? 1 : 3,
      say,
    });
  } finally {
    await embedded.stop();
  }
}

async function benchSchedulers(directory: string, say: (line: string) => void): Promise<Results['automations']> {
  const embedded = await startEmbedded({ dataDir: join(directory, 'automations-database'), log: createLog('warn') });
  try {
    const { connectionString } = embedded;
    return await benchAutomations({ connectionString, directory, automations: values.quick ? 1_000 : 10_000, say });
  } finally {
    await embedded.stop();
  }
}

async function benchPages(directory: string, say: (line: string) => void): Promise<Results['console']> {
  const embedded = await startEmbedded({ dataDir: join(directory, 'console-database'), log: createLog('warn') });
  try {
    const { connectionString } = embedded;
    const minutes = values.quick ? 0.2 : Number(values.minutes);
    return await benchConsole({ connectionString, directory, minutes, rounds: values.quick ? 1 : 5, say });
  } finally {
    await embedded.stop();
  }
}

/** Runs only if it is named: Lighthouse is not among the packages of the other parts. */
async function benchJudgement(
  directory: string,
  signal: AbortSignal,
  say: (line: string) => void,
): Promise<Results['lighthouse']> {
  const embedded = await startEmbedded({ dataDir: join(directory, 'lighthouse-database'), log: createLog('warn') });
  try {
    const { connectionString } = embedded;
    return await benchLighthouse({ connectionString, directory, rounds: values.quick ? 1 : 3, signal, say });
  } finally {
    await embedded.stop();
  }
}

async function benchRetrieval(directory: string, say: (line: string) => void): Promise<Results['knowledge']> {
  const embedded = await startEmbedded({ dataDir: join(directory, 'knowledge-database'), log: createLog('warn') });
  try {
    return await benchKnowledge({
      connectionString: embedded.connectionString,
      sizes: values.quick ? [200, 2_000] : [200, 2_000, 20_000],
      timed: values.quick ? 50 : 200,
      say,
    });
  } finally {
    await embedded.stop();
  }
}

/**
 * With a million sessions and 20 million calls it takes about 40 minutes and 25 GB, so it runs only if it is named;
 * `--sessions` is for fewer. `--kept` makes the database in that directory and keeps it; if it is there, only the
 * latencies are measured.
 */
async function benchRollups(directory: string, say: (line: string) => void): Promise<Results['consumption']> {
  const data = values.kept === '' ? join(directory, 'consumption') : resolve(values.kept);
  const embedded = await startEmbedded({
    dataDir: join(data, 'database'),
    log: createLog('warn'),
    disposable: values.kept === '',
    settings: { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off', max_wal_size: '4GB' },
  });
  try {
    return await benchConsumption({
      connectionString: embedded.connectionString,
      directory: data,
      sessions: values.sessions === '' ? (values.quick ? 20_000 : 1_000_000) : Number(values.sessions),
      callsPerSession: 20,
      timed: values.quick ? 30 : 100,
      say,
    });
  } finally {
    await embedded.stop();
  }
}

/** Runs only if it is named: 10 million sessions with 20 million events take 20 minutes and 25 GB. */
async function benchSize(directory: string, say: (line: string) => void): Promise<Results['growth']> {
  const isKept = values.kept !== '';
  const sessions = values.sessions === '' ? (values.quick ? 100_000 : 10_000_000) : Number(values.sessions);
  const data = isKept ? resolve(values.kept) : join(directory, 'growth');
  return benchGrowth({ directory: data, isKept, sessions, rounds: values.quick ? 20 : 100, say });
}

async function benchDatabase(
  directory: string,
  parts: ReadonlySet<string>,
  say: (line: string) => void,
): Promise<Results> {
  const embedded = await startEmbedded({ dataDir: join(directory, 'database'), log: createLog('warn') });
  const { connectionString } = embedded;
  try {
    const api = await benchApi({
      connectionString,
      directory,
      sizes: parts.has('api') ? (values.quick ? [10_000] : [10_000, 1_000_000]) : [],
      seconds: values.quick ? 4 : 8,
      rounds: values.quick ? 1 : 3,
      connections: 8,
      profile: '',
      say,
    });
    if (parts.has('events')) say('appending events');
    return {
      ...(parts.has('api') ? { api } : {}),
      ...(parts.has('events') ? { events: await benchEvents(connectionString, api.orgId, values.quick ? 3 : 8) } : {}),
    };
  } finally {
    await embedded.stop();
  }
}
