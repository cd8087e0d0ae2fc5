import cluster from 'node:cluster';
import { chmod, writeFile } from 'node:fs/promises';
import { flushCompileCache } from 'node:module';
import { readConfig, type Config } from '../config/config.ts';
import { usage } from '../config/flags.ts';
import { ConfigError, UsageError } from '../config/values.ts';
import { messageOf } from '../lib/errors.ts';
import { plainLines } from '../lib/one-line.ts';
import { productVersion } from '../lib/version.ts';
import { takeShare, type Share } from './share.ts';
import { hearOrders, sendReport } from './process-messages.ts';
import { startServer, startShare, type RunningServer, type StartOptions } from './server.ts';

const args = process.argv.slice(2);
// A closed terminal or pipe fails writes, which must not end the process, nor interrupt a drain.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
if (args.includes('--help') || args.includes('-h')) process.stdout.write(usage);
else if (args.includes('--version')) process.stdout.write(`${productVersion}\n`);
else await start();

/** Starts a process in its role and keeps it until a signal drains it. */
async function start(): Promise<void> {
  const share = cluster.isWorker ? takeShare(process.env) : undefined;
  // The supervising process may end while this one starts, which then ends too: that is no failure of its own.
  cluster.worker?.on('error', () => undefined);
  try {
    const config = readConfig(args, process.env, process.stderr.isTTY);
    const server = await startAs(share, config);
    // Readers of the ready line may send a signal at once.
    drainOnSignal(server, config.stopWithStdin && share === undefined);
    if (share === undefined) say(config.json, server.ready);
    else await sendReport({ report: 'ready', ready: server.ready });
    // Node would do it at exit, which a killed process does not reach.
    flushCompileCache();
  } catch (error) {
    const isOperators = error instanceof ConfigError;
    if (share !== undefined) {
      // The supervising process says it.
      await sendReport({ report: 'failed', message: messageOf(error), isOperators });
      process.exit(1);
    }
    process.stderr.write(`${isOperators ? '' : 'Guildhall did not start: '}${plainLines(messageOf(error))}\n`);
    process.exitCode = error instanceof UsageError ? 2 : 1;
    // Handles that a failed start left open must not keep the process alive.
    setTimeout(() => process.exit(), 5_000).unref();
  }
}

/** Starts one of several processes, the process that supervises several, or the only one. */
async function startAs(share: Share | undefined, config: Config): Promise<RunningServer> {
  const options: StartOptions = {
    keepAdminKey: async (path, key) => {
      await writeFile(path, `${key}\n`, { mode: 0o600 });
      await chmod(path, 0o600);
    },
  };
  if (share !== undefined) return startShare(config, share, options);
  if (config.processes === 1) return startServer(config, options);
  // Loaded here, because a single process needs none of it.
  const { startProcesses } = await import('./supervisor.ts');
  return startProcesses(config);
}

function say(json: boolean, ready: RunningServer['ready']): void {
  const { admin_key: key, admin_key_file: file, ...line } = ready;
  if (json) {
    process.stdout.write(`${JSON.stringify({ event: 'ready', ...line })}\n`);
    return;
  }
  if (key !== '') process.stdout.write(`Administrator key (shown once, also in ${file}): ${key}\n`);
  const where = line.worker !== undefined ? `worker ${line.worker}` : `${line.url}  docs ${line.url}/docs`;
  process.stdout.write(
    `Guildhall is ready: ${where}  organization ${line.organization}  metrics ${line.metrics_url}\n`,
  );
}

/**
 * Drains at the first signal, after the configured delay, which a later signal ends. A terminal and npm may both
 * deliver a signal, so only a later one, or a stuck drain, forces the exit.
 */
function drainOnSignal({ leave, stop }: Pick<RunningServer, 'leave' | 'stop'>, stopWithStdin: boolean): void {
  let lastMs = 0;
  const hurry = new AbortController();
  let stopping = false;
  const drain = async (): Promise<void> => {
    await leave(hurry.signal);
    stopping = true;
    setTimeout(() => process.exit(1), 29_000).unref();
    await stop();
  };
  const onSignal = (): void => {
    const isFirst = lastMs === 0;
    if (!isFirst && Date.now() - lastMs <= 2_000) return;
    lastMs = Date.now();
    if (stopping) process.exit(1);
    if (!isFirst) {
      hurry.abort();
      return;
    }
    drain().then(
      // With the status of a supervising process that gave up.
      () => process.exit(),
      (error: unknown) => {
        process.stderr.write(`Guildhall did not stop cleanly: ${plainLines(messageOf(error))}\n`);
        process.exit(1);
      },
    );
  };
  hearOrders(({ order }) => {
    if (order === 'drain' && lastMs === 0) onSignal();
    if (order === 'hurry') hurry.abort();
  });
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  process.on('SIGHUP', onSignal);
  if (stopWithStdin) process.stdin.once('end', onSignal).once('error', onSignal).resume();
}
