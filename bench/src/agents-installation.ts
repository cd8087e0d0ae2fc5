import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cpuOf, cpuOfMachine, cpuOfOne } from './agents-processes.ts';
import { startProgram, type Started } from './processes.ts';
import { caller, pushRepository, type Call } from './session.ts';

/** The number of concurrent sessions, and of warm ones between turns. */
const slots = 40;
/** On the built-in git host; nothing in it could check a change. */
export const repository = 'bench/notes';

/** A whole server as `npm start` runs it, with a model that responds at once. */
export interface Installation {
  readonly server: Started;
  readonly model: Started;
  readonly url: string;
  readonly key: string;
  readonly call: Call;
  /** Stops it; its data stays for the next start on the same directory. */
  stop(): Promise<void>;
}

/** With `profile`, the server writes its CPU profile into that directory when it stops. */
export async function startInstallation(
  directory: string,
  data: string,
  profile = '',
  variables: Record<string, string> = {},
): Promise<Installation> {
  const log = join(directory, 'agents.log');
  const model = await startProgram('bench/src/agents-model.ts', [], {}, log);
  try {
    const env = {
      // Its sockets are in a directory that is removed at the end.
      TMPDIR: directory,
      DATABASE_URL: '',
      GUILDHALL_SLOTS: String(slots),
      GUILDHALL_RATE_LIMIT: '0',
      GUILDHALL_MODEL: 'openai/scripted',
      OPENAI_BASE_URL: `${String(model.ready['url'])}/v1`,
      OPENAI_API_KEY: 'bench',
      ...variables,
    };
    const flags = profile === '' ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
    const args = ['--port', '0', '--data', data, '--json'];
    const server = await startProgram('server/src/main.ts', args, env, log, flags);
    const url = String(server.ready['url']);
    const key = readFileSync(join(data, 'admin-key'), 'utf8').trim();
    const stop = async (): Promise<void> => {
      await server.stop();
      await model.stop();
    };
    return { server, model, url, key, call: caller(url, key), stop };
  } catch (error) {
    await model.stop();
    throw error;
  }
}

export async function createRepository(
  { call }: Installation,
  directory: string,
  { repo, branches }: { repo: string; branches: number } = { repo: repository, branches: 0 },
): Promise<void> {
  const files = { 'README.md': '# Notes\n\nWhat was found, one file each.\n', 'notes/first.md': 'Nothing yet.\n' };
  await pushRepository(call, directory, { repo, files, branches });
}

/** Milliseconds of CPU by user. `others` is every process outside of the measurement. */
export interface CpuUse {
  server: number;
  programs: number;
  postgres: number;
  model: number;
  bench: number;
  others: number;
}

/** Starts to count CPU time; the returned function returns the usage since. */
export function countCpu({ server, model }: Installation): () => CpuUse {
  const read = () => ({
    ...cpuOf(server.pid),
    model: cpuOfOne(model.pid),
    bench: cpuOfOne(process.pid),
    machine: cpuOfMachine(),
  });
  const before = read();
  return () => {
    const now = read();
    const used = {
      server: now.server - before.server,
      programs: now.programs - before.programs,
      postgres: now.postgres - before.postgres,
      model: now.model - before.model,
      bench: now.bench - before.bench,
    };
    const ours = Object.values(used).reduce((sum, ms) => sum + ms, 0);
    return { ...used, others: Math.max(0, now.machine - before.machine - ours) };
  };
}
