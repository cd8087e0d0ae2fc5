import { readdirSync, readFileSync } from 'node:fs';

const everyMs = 100;

/**
 * Watches the machine's git processes and the server until the returned function is called, which returns the most memory
 * in MiB: of one git process its own (not what it maps of files), of the server what is resident.
 */
export function watchPrograms(serverPid: number): () => { gitMib: number; serverMib: number } {
  let [gitKib, serverKib] = [0, 0];
  const look = (): void => {
    serverKib = Math.max(serverKib, statusOf(String(serverPid)).get('VmRSS') ?? 0);
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
      if (nameOf(pid) === 'git') gitKib = Math.max(gitKib, statusOf(pid).get('RssAnon') ?? 0);
  };
  const timer = setInterval(look, everyMs);
  return () => {
    clearInterval(timer);
    return { gitMib: gitKib / 1_024, serverMib: serverKib / 1_024 };
  };
}

function nameOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return '';
  }
}

/** Returns the sizes of `/proc/<pid>/status` in KiB; empty if the process has ended. */
function statusOf(pid: string): Map<string, number> {
  try {
    const lines = readFileSync(`/proc/${pid}/status`, 'utf8').matchAll(/^(\w+):\s+(\d+) kB$/gm);
    return new Map([...lines].map(([, name = '', size]) => [name, Number(size)]));
  } catch {
    return new Map();
  }
}
