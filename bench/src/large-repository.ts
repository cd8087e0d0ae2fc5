import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Conversation, type SeenTurn } from './agents-conversation.ts';
import { countCpu, startInstallation, type CpuUse, type Installation } from './agents-installation.ts';
import { gitIn, makeRepository, nameOf } from './large-repository-made.ts';
import { watchPrograms } from './large-repository-memory.ts';

const repository = 'bench/large';
const turnWithinMs = 20 * 60_000;

/** A turn of a session that writes one file and stores it. */
interface Turn {
  ms: number;
  cpuMs: CpuUse;
  /** Largest memory of its own of one git process in MiB. */
  gitMib: number;
  /** Largest resident memory of the server in MiB. */
  serverMib: number;
}

export interface LargeRepositoryFigures {
  files: number;
  mebibytes: number;
  pushMs: number;
  /** The first session copies the repository to the worker. */
  first: Turn;
  /** Later turns of the first session, in its warm sandbox. */
  warm: Turn;
  /** A new session with a copy on the worker. */
  second: Turn;
  /** Disk in MiB: the built-in host's repository, the worker's copy, and all of the installation with two sandboxes. */
  disk: { host: number; mirrors: number; all: number };
}

/** Measures sessions on a large repository on the built-in git host. */
export async function benchLargeRepository(options: {
  directory: string;
  isQuick: boolean;
  /** The directory for CPU profiles of the server; `''` for none. */
  profile: string;
  signal: AbortSignal;
  say: (line: string) => void;
}): Promise<LargeRepositoryFigures> {
  const { directory, isQuick, signal, say } = options;
  const [files, mebibytes] = isQuick ? ([20_000, 100] as const) : ([200_000, 1_024] as const);
  const profile = options.profile === '' ? '' : resolve(options.profile);
  const place = mkdtempSync(join(directory, 'large-'));
  const data = join(place, 'data');
  const installation = await startInstallation(place, data, profile);
  try {
    say(`making a repository of ${files} files and ${mebibytes} MiB`);
    const source = join(place, 'source.git');
    await makeRepository(source, { files, bytes: mebibytes * 1024 ** 2 });
    say('pushing it');
    const pushMs = await push(installation, source);
    rmSync(source, { recursive: true });
    const measured = { installation, signal };
    say('the first session');
    const one = await measure(measured, () => begin(installation, 1, signal));
    say('its second turn');
    await edit(one.result.conversation, 2);
    const warm = await measure(measured, () => edit(one.result.conversation, 3));
    say('the second session');
    const two = await measure(measured, () => begin(installation, 4, signal));
    const disk = {
      host: mebibytesOf(join(data, 'repositories')),
      mirrors: mebibytesOf(join(data, 'mirrors')),
      all: mebibytesOf(data),
    };
    one.result.conversation.close();
    two.result.conversation.close();
    return { files, mebibytes, pushMs, first: one.turn, warm: warm.turn, second: two.turn, disk };
  } finally {
    await installation.stop();
    rmSync(place, { recursive: true, force: true });
  }
}

async function push({ call }: Installation, source: string): Promise<number> {
  const path = '/v3/organizations/default/repositories';
  const { key, clone_url: url } = await call('POST', path, { provider: 'local', repo: repository });
  const begun = performance.now();
  await gitIn(source)([
    '-c',
    `http.extraHeader=Authorization: Bearer ${String(key)}`,
    'push',
    '-q',
    String(url),
    'main',
  ]);
  return performance.now() - begun;
}

async function measure<T extends { seen: SeenTurn }>(
  { installation }: { installation: Installation },
  act: () => Promise<T>,
): Promise<{ result: T; turn: Turn }> {
  const used = countCpu(installation);
  const watched = watchPrograms(installation.server.pid);
  const result = await act();
  const { sentAt, completedAt, commits } = result.seen;
  if (commits.length === 0) throw new Error('A turn that wrote a file has no checkpoint.');
  return { result, turn: { ms: completedAt - sentAt, cpuMs: used(), ...watched() } };
}

const write = (number: number) => [
  { write: { path: nameOf(number).replace(/file/, 'new'), content: `What was found, number ${number}.\n` } },
  { say: 'Done.' },
];

function begin(installation: Installation, number: number, signal: AbortSignal) {
  const work = { repositories: [{ repo: repository }], deliver: 'none' };
  const steps = write(number);
  return Conversation.begin(installation, { words: 'Note it.', steps, mode: 'build', work, signal, turnWithinMs });
}

async function edit(conversation: Conversation, number: number): Promise<{ seen: SeenTurn }> {
  return { seen: await conversation.turn('Note it.', write(number)) };
}

function mebibytesOf(directory: string): number {
  return Number.parseInt(execFileSync('du', ['-sm', directory], { encoding: 'utf8' }), 10);
}
