import { messageOf, ProviderError } from '../../../lib/errors.ts';
import type { Attempt } from '../attempt/attempt.ts';
import type { SessionSandbox } from '../workspace/sandboxes.ts';

const atOnce = 8;
const maxSharedBytes = 1_048_576;
const scriptTimeoutMs = 30_000;

/**
 * Writes files into a sandbox's home directory, by relative paths without white space. {@link problem} reports files that
 * could not be written; methods reject only for a lost sandbox or a stopped turn.
 */
export class HomeFiles {
  readonly #attempt: Pick<Attempt, 'control'>;
  readonly #sessionSandbox: SessionSandbox;
  readonly #ready = new Set<string>();
  readonly #written = new Set<string>();
  readonly #problems: string[] = [];

  constructor(attempt: Pick<Attempt, 'control'>, sessionSandbox: SessionSandbox) {
    this.#attempt = attempt;
    this.#sessionSandbox = sessionSandbox;
  }

  /** True if a file was written. */
  has(path: string): boolean {
    return this.#written.has(path);
  }

  /**
   * Creates the directories of the given files, or the given directories (ending in `/`). Later writes go only to these. A
   * symlink of the setup may lead into the repository, so no write follows one.
   */
  async prepare(paths: readonly string[]): Promise<void> {
    await this.#try('.', async () => {
      const stdout = await this.#run(prepareScript, [], [...new Set(paths)]);
      for (const path of stdout.split('\n')) this.#ready.add(path);
    });
  }

  async write(files: readonly { path: string; content: string; mode: number }[]): Promise<void> {
    const queue = [...files];
    const work = async (): Promise<void> => {
      for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
        const { path, content, mode } = file;
        await this.#try(path, async () => {
          this.#requireReady(path.slice(0, path.lastIndexOf('/') + 1));
          await this.#sessionSandbox.sandbox.writeFile(this.#absolute(path), content, { mode });
        });
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
  }

  /** Hard-links written files into another directory. Returns false on failure. */
  async link(directory: string, paths: readonly string[]): Promise<boolean> {
    if (paths.length === 0) return false;
    return this.#try(directory, async () => {
      this.#requireReady(`${directory}/`);
      await this.#run(linkScript, [directory], paths);
    });
  }

  /** Edits a file that others write too. */
  async change(path: string, content: (before: string) => string): Promise<void> {
    const { sandbox } = this.#sessionSandbox;
    const absolute = this.#absolute(path);
    await this.#try(path, async () => {
      this.#requireReady(path);
      const before = await sandbox.readFile(absolute, { maxBytes: maxSharedBytes }).catch((error: unknown) => {
        if (error instanceof ProviderError && Object(error.cause).code === 'ENOENT') return Buffer.alloc(0);
        throw error;
      });
      await sandbox.writeFile(absolute, content(before.toString('utf8')));
    });
  }

  /** Returns a sentence with the number of missing files and the first reason; `''` if there are none. */
  problem(what: string): string {
    const [first] = this.#problems;
    const count = this.#problems.length;
    if (first === undefined) return '';
    return `${count} ${count === 1 ? 'file' : 'files'} ${what} could not be written: ${first}`;
  }

  async #try(path: string, action: () => Promise<void>): Promise<boolean> {
    try {
      await action();
      this.#written.add(path);
      return true;
    } catch (error) {
      this.#attempt.control.signal.throwIfAborted();
      if (error instanceof ProviderError && error.retryable) throw error;
      this.#problems.push(messageOf(error));
      return false;
    }
  }

  #requireReady(path: string): void {
    if (!this.#ready.has(path)) throw new Error(`~/${path} is a symlink or cannot be created.`);
  }

  async #run(script: string, parameters: readonly string[], lines: readonly string[]): Promise<string> {
    const { sandbox } = this.#sessionSandbox;
    const { exitCode, stdout, stderr } = await sandbox.exec({
      command: ['sh', '-c', script, sandbox.home, ...parameters],
      stdin: lines.map((line) => `${line}\n`).join(''),
      timeoutMs: scriptTimeoutMs,
      signal: this.#attempt.control.signal,
      keepBytes: maxSharedBytes,
    });
    if (exitCode !== 0) throw new Error(stderr.toString('utf8').trim().slice(-500) || `exit code ${exitCode}`);
    return stdout.toString('utf8');
  }

  #absolute(path: string): string {
    return `${this.#sessionSandbox.sandbox.home}/${path}`;
  }
}

/** Prints the paths that can be written. */
const prepareScript = `cd -P "$0" || exit 1
home=$PWD
while IFS= read -r path; do
  directory=\${path%/*}
  [ -d "$directory" ] || mkdir -p "$directory" || continue
  cd -P "$directory" && [ "$PWD" = "$home/$directory" ] && [ ! -L "$home/$path" ] && printf '%s\\n' "$path"
  cd "$home" || exit 1
done
exit 0`;

/** Hard-links files, or copies them if the file system has no hard links; as many per call as a command line takes. */
const linkScript = `cd "$0" || exit 1
exec xargs -d '\\n' sh -c 'ln -f -t "$0" -- "$@" 2>/dev/null || cp -pf -t "$0" -- "$@"' "$1"`;
