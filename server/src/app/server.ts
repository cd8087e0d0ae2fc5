import { setTimeout as delay } from 'node:timers/promises';
import { gitProblem } from '../git/version.ts';
import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/values.ts';
import { lockDataDirectory, type FileLock } from '../lib/file-lock.ts';
import { messageOf } from '../lib/errors.ts';
import { createLog } from '../lib/log.ts';
import { portProblem } from '../lib/ports.ts';
import type { Ready } from './serving.ts';

export interface RunningServer {
  ready: Ready;
  /** Reports that it is not ready, and continues serving for `GUILDHALL_DRAIN_DELAY`, or until `now` aborts. */
  leave: (now: AbortSignal) => Promise<void>;
  /** Stops accepting work, lets running sessions checkpoint, and closes everything; within 30 s. */
  stop: () => Promise<void>;
}

/** Starts everything that the role requires. Throws a message for the operator, and leaves nothing open then. */
export async function startServer(
  config: Config,
  options: { keepAdminKey: (path: string, key: string) => Promise<void> },
): Promise<RunningServer> {
  const log = createLog(config.logLevel, 2, config.logFormat);
  for (const warning of config.warnings) log.warn(warning);
  const leaving = new AbortController();
  const closing = new AbortController();
  const undo: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    leaving.abort();
    closing.abort();
    for (const close of undo.splice(0).reverse()) await close();
  };
  try {
    const lock = await lockData(config.data);
    undo.push(lock.release);
    await requirePorts(config);
    await requireGit();
    // Obstacles are reported before everything else is loaded.
    const { serve } = await import('./serving.ts');
    const ready = await serve(config, {
      log,
      leaving: leaving.signal,
      closing: closing.signal,
      keepAdminKey: options.keepAdminKey,
      opened: (close) => void undo.push(close),
    });
    return { ready, leave: (now) => wait(leaving, config.drainDelayMs, now), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Marks the process as leaving, and serves for a while; `now` ends that. */
async function wait(leaving: AbortController, delayMs: number, now: AbortSignal): Promise<void> {
  leaving.abort();
  await delay(delayMs, undefined, { signal: now }).catch(() => undefined);
}

async function lockData(data: string): Promise<FileLock> {
  try {
    return await lockDataDirectory(data);
  } catch (error) {
    throw new ConfigError(`${messageOf(error)} The data directory is set by --data or GUILDHALL_DATA.`, {
      cause: error,
    });
  }
}

/** Throws {@link ConfigError} if git is missing or too old. */
async function requireGit(): Promise<void> {
  const problem = await gitProblem();
  if (problem !== '') throw new ConfigError(problem);
}

/** Checks the ports before anything is created. Throws {@link ConfigError}. */
async function requirePorts({ role, host, port, metricsPort }: Config): Promise<void> {
  const wrongHost = await portProblem(host, 0);
  if (role !== 'worker' && wrongHost !== '')
    throw new ConfigError(`GUILDHALL_HOST is ${JSON.stringify(host)}, which ${wrongHost}.`);
  const problem = role === 'worker' || port === 0 ? '' : await portProblem(host, port);
  if (problem !== '')
    throw new ConfigError(`Port ${port} of ${host} ${problem}. Choose another by --port or GUILDHALL_PORT.`);
  const metricsProblem = metricsPort === 0 ? '' : await portProblem('127.0.0.1', metricsPort);
  if (metricsProblem !== '')
    throw new ConfigError(
      `Port ${metricsPort}, for metrics, ${metricsProblem}. Choose another by GUILDHALL_METRICS_PORT; 0 is a free one.`,
    );
}
