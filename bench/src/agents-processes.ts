import { readdirSync, readFileSync } from 'node:fs';

/** The kernel's unit of process times, on every Linux that Node supports. */
const tickMs = 10;

interface Entry {
  pid: number;
  name: string;
  parent: number;
  ownTicks: number;
  /** Ticks of its children that have ended. */
  endedTicks: number;
}

/**
 * The shares of a server's processes. `server` is the process itself; `programs` are its children without PostgreSQL.
 */
export interface Shares {
  server: number;
  programs: number;
  postgres: number;
}

/** Returns the milliseconds of CPU that the server has used so far. */
export function cpuOf(serverPid: number): Shares {
  const { server, programs, postgres } = familyOf(serverPid);
  const all = ({ ownTicks, endedTicks }: Entry): number => ownTicks + endedTicks;
  return {
    server: (server?.ownTicks ?? 0) * tickMs,
    programs: ((server?.endedTicks ?? 0) + sum(programs.map(all))) * tickMs,
    postgres: sum(postgres.map(all)) * tickMs,
  };
}

/** Returns the milliseconds of CPU that one process has used so far, without its children. */
export function cpuOfOne(pid: number): number {
  return (readEntry(pid)?.ownTicks ?? 0) * tickMs;
}

/** Returns the milliseconds of CPU of the server's process and of each of its children, without what these have started. */
export function cpuByProcess(serverPid: number): Map<number, number> {
  const { server, programs } = familyOf(serverPid);
  const children = programs.filter(({ parent }) => parent === serverPid);
  const all = server === undefined ? children : [server, ...children];
  return new Map(all.map(({ pid, ownTicks }) => [pid, ownTicks * tickMs]));
}

/** Returns the milliseconds of CPU that the whole machine has used so far, over all its processors. */
export function cpuOfMachine(): number {
  const [, ...fields] = (readFileSync('/proc/stat', 'utf8').split('\n', 1)[0] ?? '').split(/\s+/).map(Number);
  const [user = 0, nice = 0, system = 0, , , interrupt = 0, softInterrupt = 0, stolen = 0] = fields;
  return (user + nice + system + interrupt + softInterrupt + stolen) * tickMs;
}

/**
 * Returns the memory of the server's processes in MiB, each shared page counted once (PSS; RSS if that is not
 * readable).
 */
export function memoryOf(serverPid: number): Shares {
  const { server, programs, postgres } = familyOf(serverPid);
  const held = (entries: readonly Entry[]): number => sum(entries.map(({ pid }) => residentMib(pid)));
  return { server: server === undefined ? 0 : held([server]), programs: held(programs), postgres: held(postgres) };
}

function familyOf(serverPid: number) {
  const entries = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (readEntry(Number(name)) ?? []) : []));
  const below = (pids: ReadonlySet<number>): Entry[] => {
    const known = new Set(pids);
    const found: Entry[] = [];
    for (let grew = true; grew;) {
      grew = false;
      for (const entry of entries) {
        if (known.has(entry.pid) || !known.has(entry.parent)) continue;
        known.add(entry.pid);
        found.push(entry);
        grew = true;
      }
    }
    return found;
  };
  const all = below(new Set([serverPid]));
  const roots = all.filter(({ name }) => name === 'postgres');
  const postgres = [...roots, ...below(new Set(roots.map(({ pid }) => pid)))];
  const ids = new Set(postgres.map(({ pid }) => pid));
  return {
    server: entries.find(({ pid }) => pid === serverPid),
    programs: all.filter(({ pid }) => !ids.has(pid)),
    postgres: all.filter(({ pid }) => ids.has(pid)),
  };
}

/** Returns undefined for a process that has ended. */
function readEntry(pid: number): Entry | undefined {
  const text = contentOf(`/proc/${pid}/stat`);
  // The name is in parentheses and may contain anything, including parentheses.
  const [, name = '', rest = ''] = /^\d+ \((.*)\) (.*)$/s.exec(text) ?? [];
  if (rest === '') return undefined;
  const fields = rest.split(' ');
  const field = (number: number): number => Number(fields[number - 3] ?? 0);
  return { pid, name, parent: field(4), ownTicks: field(14) + field(15), endedTicks: field(16) + field(17) };
}

function residentMib(pid: number): number {
  const text = contentOf(`/proc/${pid}/smaps_rollup`) || contentOf(`/proc/${pid}/status`);
  const kib = /^(?:Pss|VmRSS):\s+(\d+) kB$/m.exec(text)?.[1];
  return Number(kib ?? 0) / 1_024;
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
