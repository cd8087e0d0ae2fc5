import { expect } from 'vitest';
import type { Sandbox } from '../sandbox/port.ts';

/** The processes of a browser, seen from its sandbox. */
export interface BrowserProcesses {
  /** Returns the browser's program and all its descendants, as `pid:start command`. */
  family(): Promise<string[]>;
  kill(some: readonly string[]): Promise<void>;
  /** Waits until none of them is running. */
  gone(former: readonly string[]): Promise<void>;
}

export function processesIn(sandbox: Sandbox): BrowserProcesses {
  const list = async (): Promise<Listing> => {
    const { stdout } = await sandbox.exec({
      command: [process.execPath, '-e', listProcesses],
      timeoutMs: 20_000,
      // Without isolation it lists the whole machine.
      keepBytes: 2 ** 20,
    });
    return parseProcesses(stdout.toString());
  };
  return {
    async family() {
      const { mark, all } = await list();
      const found = new Set(all.filter((one) => one.command.includes('program/main.ts') && one.mark === mark));
      for (let size = -1; size !== found.size;) {
        size = found.size;
        const pids = new Set([...found].map(({ pid }) => pid));
        for (const one of all) if (pids.has(one.parent)) found.add(one);
      }
      return [...found].map(({ pid, start, command }) => `${pid}:${start} ${command}`);
    },
    async kill(some) {
      const { exitCode } = await sandbox.exec({
        command: ['kill', '-9', ...some.map((line) => line.split(':')[0] ?? '')],
        timeoutMs: 10_000,
      });
      expect(exitCode).toBe(0);
    },
    async gone(former) {
      const living = async (): Promise<string[]> => {
        const now = new Set((await list()).all.map(({ pid, start }) => `${pid}:${start}`));
        return former.filter((one) => now.has(one.split(' ')[0] ?? ''));
      };
      await expect.poll(living, { timeout: 15_000 }).toEqual([]);
    },
  };
}

/** Prints the sandbox's own mark, then every process; Chromium's processes overwrite their environment. */
const listProcesses = `
  const fs = require('node:fs');
  const markOf = (pid) => /GUILDHALL_SANDBOX=([^\\0]*)/.exec(fs.readFileSync('/proc/' + pid + '/environ', 'latin1'))?.[1] ?? '';
  console.log(JSON.stringify(markOf('self')));
  for (const pid of fs.readdirSync('/proc').filter(Number)) try {
    const stat = fs.readFileSync('/proc/' + pid + '/stat', 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const command = fs.readFileSync('/proc/' + pid + '/cmdline', 'latin1').replaceAll('\\0', ' ');
    if (fields[0] !== 'Z') console.log(JSON.stringify([Number(pid), Number(fields[1]), fields[19], markOf(pid), command]));
  } catch {}
`;

interface ListedProcess {
  pid: number;
  parent: number;
  start: string;
  mark: string;
  command: string;
}

interface Listing {
  mark: string;
  all: ListedProcess[];
}

function parseProcesses(printed: string): Listing {
  const [mark = '""', ...lines] = printed.trim().split('\n');
  const all = lines.map((line) => {
    const [pid, parent, start, own, command]: [number, number, string, string, string] = JSON.parse(line);
    return { pid, parent, start, mark: own, command };
  });
  return { mark: JSON.parse(mark), all };
}
