import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, renameSync, statSync } from 'node:fs';
import { createInterface } from 'node:readline';

/**
 * Runs a server under a shell that outlives us long enough to stop it. Arguments: log file, directory to remove in the
 * end (or nothing), the server's command line.
 *
 * Standard input is a pipe that only our process holds open. When it closes, however we ended, the inner shell asks for
 * a fast shutdown and 3 s later for an immediate one, because PostgreSQL 17 and 18 can hang on the first while they
 * recover. The outer shell waits for the server, so that none stays uncollected.
 */
const script = `
log=$1 remove=$2; shift 2
exec 3<&0 4>&1 </dev/null >>"$log" 2>&1
trap '' HUP INT TERM
"$@" 3<&- 4>&- &
server=$!
echo "$server" >&4
exec 4>&-
{ read -r _ <&3; kill -INT "$server"; sleep 3; kill -QUIT "$server"; } 2>/dev/null &
watch=$!
exec 3<&-
wait "$server"; code=$?
kill -KILL "$watch" 2>/dev/null
[ -z "$remove" ] || rm -rf -- "$remove"
exit "$code"
`;

const rotateAtBytes = 8 * 1024 * 1024;

export interface WatchedServer {
  pid: number;
  /** Settles when the server ended and was collected; `code` is its exit status, 128 + signal when it was killed. */
  exited: Promise<{ code: number }>;
}

export interface WatchOptions {
  command: string[];
  logFile: string;
  cwd: string;
  env: Record<string, string>;
  /** A directory removed once the server has ended, also when we were killed. */
  remove?: string;
}

/** Starts a server in a session of its own: signals to our process group do not reach it. */
export async function watch(options: WatchOptions): Promise<WatchedServer> {
  rotate(options.logFile);
  // Opened here so that a log that cannot be written fails with its name.
  closeSync(openSync(options.logFile, 'a', 0o600));
  const shell = spawn(
    'sh',
    ['-c', script, 'guildhall-postgres', options.logFile, options.remove ?? '', ...options.command],
    {
      cwd: options.cwd,
      env: options.env,
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore'],
    },
  );
  const exited = exitOf(shell);
  return { pid: await serverPid(shell, exited), exited };
}

function exitOf(shell: ChildProcess): Promise<{ code: number }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ code: number }>();
  shell.once('error', reject);
  shell.once('exit', (code) => resolve({ code: code ?? 137 }));
  return promise;
}

async function serverPid(shell: ChildProcess, exited: Promise<{ code: number }>): Promise<number> {
  if (shell.stdout === null) {
    throw new Error('The watcher of PostgreSQL has no output.');
  }
  const lines = createInterface({ input: shell.stdout });
  const { promise: first, resolve } = Promise.withResolvers<string>();
  lines.once('line', resolve);
  const line = await Promise.race([first, exited.then(({ code }) => `exit ${code}`)]);
  lines.close();
  shell.stdout.destroy();
  if (!/^\d+$/.test(line)) {
    throw new Error(`The watcher of PostgreSQL did not start (${line}).`);
  }
  return Number(line);
}

/** Keeps one older log, so that a long-lived installation does not fill its disk. */
function rotate(logFile: string): void {
  const info = statSync(logFile, { throwIfNoEntry: false });
  if (info !== undefined && info.size > rotateAtBytes) {
    renameSync(logFile, `${logFile}.1`);
  }
}
