import { readdirSync, readFileSync, readlinkSync, statfsSync, statSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** One process of a sandbox. */
export interface ProcessMemory {
  /** Pid inside. */
  pid: number;
  /** Private memory in bytes, including swapped-out memory. */
  privateBytes: number;
  /** Mapped shared memory in bytes; other processes may map the same. */
  sharedBytes: number;
}

/** Processes read before yielding to other work: a sandbox may have many. */
const batchSize = 200;

/**
 * Lists a sandbox's processes through the /proc of its first process, which no process inside can stop, enter or give another
 * root. Throws if the sandbox has ended.
 */
export async function listProcesses(first: number): Promise<ProcessMemory[]> {
  const found: ProcessMemory[] = [];
  for await (const pid of pidsOf(first)) {
    const status = readQuietly(`${procOf(first)}/${pid}/status`);
    if (status === undefined) continue;
    found.push({
      pid,
      privateBytes: kilobytes(status, 'RssAnon') + kilobytes(status, 'VmSwap'),
      sharedBytes: kilobytes(status, 'RssShmem'),
    });
  }
  return found;
}

/** Returns true if a sandbox's first process, and so all others, has ended, even before its exit event. */
export function hasEnded(first: number): boolean {
  return /^State:\s+[^ZX]/m.exec(readQuietly(`/proc/${first}/status`) ?? '') === null;
}

/** Returns a process's shared memory in bytes, each page divided by its users; undefined if it is unreadable. */
export function fairShareOf(first: number, pid: number): number | undefined {
  const rollup = readQuietly(`${procOf(first)}/${pid}/smaps_rollup`);
  return rollup === undefined ? undefined : kilobytes(rollup, 'Pss_Shmem');
}

/** Returns the bytes of a sandbox's files in memory, below these paths inside. */
export function memoryFileBytes(first: number, paths: readonly string[]): number {
  let bytes = 0;
  for (const path of paths) {
    const { blocks, bfree, bsize } = statfsSync(`/proc/${first}/root${path}`);
    bytes += (blocks - bfree) * bsize;
  }
  return bytes;
}

/**
 * Returns the bytes of deleted files on `device` that processes of the sandbox have open. Throws if there are more open files
 * than any program needs.
 */
export async function deletedFileBytes(first: number, device: number): Promise<number> {
  const seen = new Map<number, number>();
  let open = 0;
  for await (const pid of pidsOf(first)) {
    const directory = `${procOf(first)}/${pid}/fd`;
    for (const fd of listQuietly(directory)) {
      open += 1;
      if (open > mostOpenFiles) throw new Error(`more than ${mostOpenFiles} files are open`);
      if (open % batchSize === 0) await nextTurn();
      const file = statQuietly(`${directory}/${fd}`);
      if (file?.nlink === 0 && file.dev === device) seen.set(file.ino, file.blocks * 512);
    }
  }
  return [...seen.values()].reduce((sum, bytes) => sum + bytes, 0);
}

const mostOpenFiles = 100_000;

/** Kills processes of a sandbox by their pids inside. */
export function killInside(first: number, pids: ReadonlySet<number>): void {
  const namespace = readlinkSync(`/proc/${first}/ns/pid`);
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const numbers =
      /^NSpid:(.*)$/m
        .exec(readQuietly(`/proc/${name}/status`) ?? '')?.[1]
        ?.trim()
        .split(/\s+/) ?? [];
    if (numbers.length < 2 || !pids.has(Number(numbers.at(-1)))) continue;
    try {
      if (readlinkSync(`/proc/${name}/ns/pid`) === namespace) process.kill(Number(name), 'SIGKILL');
    } catch {
      // The process has ended already.
    }
  }
}

async function* pidsOf(first: number): AsyncGenerator<number> {
  let count = 0;
  for (const name of readdirSync(procOf(first))) {
    if (!/^\d+$/.test(name)) continue;
    count += 1;
    if (count % batchSize === 0) await nextTurn();
    yield Number(name);
  }
}

function procOf(first: number): string {
  return `/proc/${first}/root/proc`;
}

/** Returns undefined if the process has ended. */
function readQuietly(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}

function listQuietly(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function statQuietly(path: string) {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

function kilobytes(text: string, name: string): number {
  const at = text.indexOf(`\n${name}:`);
  return at < 0 ? 0 : Number.parseInt(text.slice(at + name.length + 2), 10) * 1024;
}
