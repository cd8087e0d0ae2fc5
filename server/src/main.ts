import { chmod, writeFile } from 'node:fs/promises';
import { readConfig } from './config.ts';
import { ConfigError } from './config-values.ts';
import { messageOf } from './lib/errors.ts';
import { startServer } from './server.ts';

/** Starts a process in its role and keeps it until a signal drains it. */
try {
  const config = readConfig(process.argv.slice(2), process.env);
  const server = await startServer(config, {
    keepAdminKey: async (path, key) => {
      await writeFile(path, `${key}\n`, { mode: 0o600 });
      await chmod(path, 0o600);
    },
  });
  say(config.json, server.ready);
  drainOnSignal(server.stop);
} catch (error) {
  process.stderr.write(`${error instanceof ConfigError ? '' : 'Guildhall did not start: '}${messageOf(error)}\n`);
  process.exitCode = 1;
  // Whatever a failed start left open must not keep the process.
  setTimeout(() => process.exit(1), 5_000).unref();
}

function say(json: boolean, ready: Awaited<ReturnType<typeof startServer>>['ready']): void {
  const { admin_key: key, admin_key_file: file, ...line } = ready;
  if (json) {
    process.stdout.write(`${JSON.stringify({ event: 'ready', ...line })}\n`);
    return;
  }
  if (key !== '') process.stdout.write(`Administrator key (shown once, also in ${file}): ${key}\n`);
  const where = line.url === '' ? 'worker' : `${line.url}  docs ${line.url}/docs`;
  process.stdout.write(
    `Guildhall is ready: ${where}  organization ${line.organization}  metrics ${line.metrics_url}\n`,
  );
}

/** The first signal drains. A terminal and npm may both deliver it, so only a later one, or a stuck drain, forces. */
function drainOnSignal(stop: () => Promise<void>): void {
  let firstMs = 0;
  const onSignal = (): void => {
    if (firstMs !== 0) {
      if (Date.now() - firstMs > 2_000) process.exit(1);
      return;
    }
    firstMs = Date.now();
    setTimeout(() => process.exit(1), 29_000).unref();
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`Guildhall did not stop cleanly: ${messageOf(error)}\n`);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  process.on('SIGHUP', onSignal);
}
