import { constants } from 'node:os';
import koffi from 'koffi';

/*
 * `posix_spawn` of the C library, which starts a program without copying the page tables of this process. Node copies them: that
 * takes 5 ms and more in a server of some hundred megabytes, during which nothing else is done (docs/adr/0088).
 */

export interface PosixSpawn {
  /** Starts a program as the leader of a new session. Returns its process id. Throws {@link SystemError}. */
  start(file: string, args: readonly string[], options: StartOptions): number;
  /** Returns two connected sockets, which no program inherits. Throws {@link SystemError}. */
  socketPair(): [own: number, theirs: number];
  close(descriptor: number): void;
  /** Returns how a child has ended, and forgets it; undefined if it still runs. Both are null if the system has forgotten it. */
  ended(pid: number): { code: number | null; signal: NodeJS.Signals | null } | undefined;
}

export interface StartOptions {
  /** Variables as `NAME=value`. */
  env: readonly string[];
  cwd?: string;
  /** The descriptors of this process that become 0, 1, 2 and so on; each must be larger than those. */
  descriptors: readonly number[];
}

/** An error of the system. */
export class SystemError extends Error {
  readonly call: string;
  /** A positive number. */
  readonly errno: number;

  constructor(call: string, errno: number) {
    super(`${call} failed with error ${errno}`);
    this.call = call;
    this.errno = errno;
  }
}

const unix = 1;
const streamCloseOnExec = 1 | 0o2000000;
const noHang = 1;
/** POSIX_SPAWN_SETSIGDEF, POSIX_SPAWN_SETSIGMASK, POSIX_SPAWN_SETSID. */
const flags = 0x04 | 0x08 | 0x80;
/** Larger than the C library's structures. */
const actionsBytes = 256;
const attributesBytes = 1024;
const signalSetBytes = 128;

const signalNames = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

/** Throws if the C library does not have the functions. */
export function loadPosixSpawn(): PosixSpawn {
  const c = koffi.load(null);
  const socketPair = c.func('int socketpair(int, int, int, _Out_ int *)');
  const close = c.func('int close(int)');
  const waitPid = c.func('int waitpid(int, _Out_ int *, int)');
  const spawn = c.func('int posix_spawn(_Out_ int *, const char *, void *, void *, const char **, const char **)');
  const initActions = c.func('int posix_spawn_file_actions_init(void *)');
  const addDup = c.func('int posix_spawn_file_actions_adddup2(void *, int, int)');
  const addDirectory = c.func('int posix_spawn_file_actions_addchdir_np(void *, const char *)');
  const destroyActions = c.func('int posix_spawn_file_actions_destroy(void *)');
  const attributes = Buffer.alloc(attributesBytes);
  check('posix_spawnattr_init', c.func('int posix_spawnattr_init(void *)')(attributes));
  check('posix_spawnattr_setflags', c.func('int posix_spawnattr_setflags(void *, short)')(attributes, flags));
  // Node ignores SIGPIPE; a program must not.
  const setDefaults = c.func('int posix_spawnattr_setsigdefault(void *, void *)');
  check('posix_spawnattr_setsigdefault', setDefaults(attributes, Buffer.alloc(signalSetBytes, 0xff)));
  return {
    start(file, args, { env, cwd, descriptors }) {
      const actions = Buffer.alloc(actionsBytes);
      check('posix_spawn_file_actions_init', initActions(actions));
      try {
        for (const [number, descriptor] of descriptors.entries())
          check('posix_spawn_file_actions_adddup2', addDup(actions, descriptor, number));
        if (cwd !== undefined) check('posix_spawn_file_actions_addchdir_np', addDirectory(actions, cwd));
        const pid = [0];
        check('posix_spawn', spawn(pid, file, actions, attributes, [file, ...args, null], [...env, null]));
        return pid[0] ?? 0;
      } finally {
        destroyActions(actions);
      }
    },
    socketPair() {
      const pair = [0, 0];
      if (socketPair(unix, streamCloseOnExec, 0, pair) !== 0) throw new SystemError('socketpair', koffi.errno());
      const [own = 0, theirs = 0] = pair;
      return [own, theirs];
    },
    close: (descriptor) => void close(descriptor),
    ended(pid) {
      const status = [0];
      const found = waitPid(pid, status, noHang);
      if (found === 0) return undefined;
      if (found !== pid) return { code: null, signal: null };
      const [word = 0] = status;
      const signal = word & 0x7f;
      if (signal === 0) return { code: (word >> 8) & 0xff, signal: null };
      return { code: null, signal: signalNamed(signal) };
    },
  };
}

function check(call: string, errno: unknown): void {
  if (errno !== 0) throw new SystemError(call, Number(errno));
}

function signalNamed(number: number): NodeJS.Signals {
  const name = signalNames.get(number);
  return isSignal(name) ? name : 'SIGKILL';
}

function isSignal(name: string | undefined): name is NodeJS.Signals {
  return name !== undefined && name in constants.signals;
}
