import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startScriptedModel, type ScriptedModel } from '@guildhall/scripted-model';
import { readFlags } from '../flags.ts';
import { count } from './check.ts';
import { judge } from './judge.ts';
import { startInstallation, type Installation } from './installation.ts';
import { startLoad, type Load } from './load.ts';
import { modelWork } from './model-work.ts';
import { runPauses, type Disturbances } from './pauses.ts';
import { createProjects } from './project.ts';
import { createRandom } from './random.ts';
import { tableOf } from './report.ts';
import { runRounds, type Round } from './rounds.ts';
import { scriptWork, type Work } from './work.ts';

const usage = `npm run chaos -- [--rounds 100] [--sessions 20] [--database-kills 10] [--pauses 0] [--seed <n>] [--keep]

Kills workers, the API and PostgreSQL with SIGKILL while sessions run, then compares what clients were shown and
promised with the final state. Exits with status 1 on a violation, and keeps the evidence.

With --pauses <n> it kills no worker. It stops workers with SIGSTOP that often, for up to 2.5 s, while PostgreSQL crashes and restarts
--database-kills times, and checks that no session was taken from its worker.`;

const values = readFlags(usage, {
  rounds: { type: 'string', default: '100' },
  sessions: { type: 'string', default: '20' },
  'database-kills': { type: 'string', default: '10' },
  pauses: { type: 'string', default: '0' },
  seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
  keep: { type: 'boolean', default: false },
});

/** Pause between two rounds. */
const pauseMs = { least: 2_500, most: 9_000 };
const projectCount = 4;
const mostShown = 50;
const settleWithinMs = 5 * 60_000;

process.exitCode = await chaos();

interface Options {
  rounds: number;
  inFlight: number;
  databaseKills: number;
  pauses: number;
  seed: number;
}

async function chaos(): Promise<number> {
  const options = {
    rounds: whole('rounds', values.rounds),
    inFlight: whole('sessions', values.sessions),
    databaseKills: whole('database-kills', values['database-kills']),
    pauses: whole('pauses', values.pauses),
    seed: whole('seed', values.seed),
  };
  const directory = mkdtempSync(join(tmpdir(), 'guildhall-chaos-'));
  const interrupted = interruption();
  const what =
    options.pauses > 0
      ? `${options.pauses} pauses, PostgreSQL fails ${options.databaseKills} times`
      : `${options.rounds} rounds, PostgreSQL killed in ${options.databaseKills} rounds`;
  say(`chaos with seed ${options.seed}: ${what}, ${options.inFlight} sessions in flight`);
  let violations: string[];
  try {
    violations = await attack(directory, options, interrupted);
  } catch (error) {
    violations = interrupted.aborted ? [] : [`the run broke off: ${reasonOf(error)}`];
  }
  for (const violation of violations.slice(0, mostShown)) say(`✗ ${violation}`);
  if (violations.length > 0) writeFileSync(join(directory, 'violations.txt'), `${violations.join('\n')}\n`);
  if (values.keep || violations.length > 0) say(`the evidence is in ${directory}`);
  else rmSync(directory, { recursive: true, force: true });
  say(`seed ${options.seed}: ${outcomeOf(violations, interrupted)}`);
  return violations.length > 0 || interrupted.aborted ? 1 : 0;
}

function outcomeOf(violations: readonly string[], interrupted: AbortSignal): string {
  if (violations.length > 0) return count(violations.length, 'violation');
  return interrupted.aborted ? 'interrupted' : 'everything acknowledged was kept';
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Runs the whole test; returns the violations. */
async function attack(directory: string, options: Options, interrupted: AbortSignal): Promise<string[]> {
  const model = await startScriptedModel({ keepRequests: 0 });
  try {
    const installation = await install(directory, options, model);
    process.once('exit', () => installation.abandon());
    let violations: string[];
    let left: string[];
    try {
      violations = await rounds(installation, options, interrupted);
    } finally {
      say('stopping');
      left = await installation.stop();
      say(left.length === 0 ? 'nothing is left behind' : `left behind: ${left.join('; ')}`);
    }
    return [...violations, ...left.map((one) => `left behind: ${one}`)];
  } finally {
    await model.close();
  }
}

function install(directory: string, { seed, inFlight }: Options, model: ScriptedModel): Promise<Installation> {
  const pauses = createRandom(seed, -2);
  return startInstallation({
    directory,
    slots: inFlight,
    pauseMs: () => pauses.between(100, 3_000),
    env: {
      OPENAI_BASE_URL: `${model.url}/v1`,
      OPENAI_API_KEY: 'sk-scripted',
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: 'sk-ant-scripted',
      GOOGLE_GENERATIVE_AI_BASE_URL: model.url,
      GOOGLE_GENERATIVE_AI_API_KEY: 'scripted',
      GUILDHALL_MODEL: 'openai/scripted',
    },
  });
}

/** Returns work for scripts and the built-in agent in turn. */
function workOf(seed: number, number: number): Work {
  return number % 2 === 0 ? modelWork(seed, number) : scriptWork(seed, number);
}

async function rounds(installation: Installation, options: Options, interrupted: AbortSignal): Promise<string[]> {
  const ending = new AbortController();
  const signal = AbortSignal.any([interrupted, ending.signal]);
  try {
    const projects = await createProjects(installation, projectCount, signal);
    const load = startLoad({
      client: installation.client,
      projects,
      inFlight: options.inFlight,
      work: (number) => workOf(options.seed, number),
      signal,
    });
    const done = await Promise.race([disturb(installation, load, options, signal), load.broken]);
    say(`no more disturbances: ${load.running()} sessions go on to their end`);
    await settled(load, signal);
    const { checks, facts } = await judge({ installation, projects, sessions: load.sessions, ...done });
    process.stdout.write(`\n${tableOf(checks, facts)}\n\n`);
    return checks.flatMap((check) => check.violations);
  } finally {
    ending.abort();
  }
}

/** Kills processes, or only stops workers for moments. */
async function disturb(
  installation: Installation,
  load: Load,
  options: Options,
  signal: AbortSignal,
): Promise<{ rounds: Round[]; disturbances?: Disturbances }> {
  const { databaseKills, pauses, seed } = options;
  if (pauses > 0) {
    const disturbances = await runPauses(installation, { pauses, databaseKills, seed, onProgress: say, signal });
    return { rounds: [], disturbances };
  }
  const onRound = (round: Round): void => say(lineOf(round, options.rounds, load));
  const random = createRandom(seed, -1);
  const plan = { rounds: options.rounds, databaseKills, pauseMs, random, onRound, signal };
  return { rounds: await runRounds(installation, load, plan) };
}

/** Waits until all sessions have ended; the judgement finds those that did not in time. */
async function settled(load: Load, signal: AbortSignal): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, settleWithinMs);
  signal.addEventListener('abort', () => late.reject(signal.reason));
  try {
    await Promise.race([load.finish(), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function lineOf({ number, killed, hits }: Round, all: number, load: Load): string {
  const phases = [...new Set(hits.map(({ phase }) => phase))].map(
    (phase) => `${hits.filter((hit) => hit.phase === phase).length} ${phase}`,
  );
  const met = hits.length === 0 ? '' : ` with ${count(hits.length, 'session')} (${phases.join(', ')})`;
  const ended = load.sessions.filter(({ status }) => status !== '').length;
  return `round ${String(number).padStart(String(all).length)}/${all}  killed ${killed.join(' and ')}${met}; ${load.running()} in flight, ${ended} ended, ${load.shown()} events shown`;
}

/** Returns a signal that aborts at the first Ctrl-C or SIGTERM. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  // A terminal and npm may both deliver it: the handlers stay, so that everything is always stopped.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => controller.abort(new Error(`ended by ${signal}`)));
  return controller.signal;
}

function whole(name: string, value: string): number {
  if (!/^\d{1,10}$/.test(value)) throw new Error(`--${name} must be a whole number, not ${JSON.stringify(value)}.`);
  return Number(value);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
