// What the supervisor knows of the processes around it, from /proc.
import fs from 'node:fs';

function listProcesses() {
  const found = [];
  for (const name of fs.readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = fs.readFileSync(`/proc/${name}/stat`, 'latin1');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      found.push({
        pid: Number(name),
        state: fields[0],
        parent: Number(fields[1]),
        group: Number(fields[2]),
        threads: Number(fields[17]),
      });
    } catch {}
  }
  return found;
}

/** The process group of a command, and those of all that descends from it. */
export function groupsOf(pid) {
  const processes = listProcesses();
  const family = new Set([pid]);
  const groups = new Set([pid]);
  for (let grew = true; grew;) {
    grew = false;
    for (const one of processes) {
      if (!family.has(one.parent) || family.has(one.pid)) continue;
      family.add(one.pid);
      groups.add(one.group);
      grew = true;
    }
  }
  return groups;
}

export function signalGroups(groups, signal) {
  for (const group of groups) {
    try {
      process.kill(-group, signal);
    } catch {}
  }
}

/** Threads of all programs, without those of the sandbox itself. */
export function countThreads() {
  const programs = listProcesses().filter(({ pid }) => pid !== process.pid && pid !== 1);
  return programs.reduce((sum, one) => sum + one.threads, 0);
}

/** Ends all that does not belong to these commands; answers how many processes that were. New ones may come meanwhile. */
export function endStrays(commands) {
  const ended = new Set();
  for (let round = 0; round < 20; round += 1) {
    const processes = listProcesses();
    const kept = new Set(commands.flatMap((pid) => [...groupsOf(pid)]));
    for (const { pid, group } of processes) if (pid === process.pid || pid === 1) kept.add(group);
    const strays = processes.filter(({ state, group }) => state !== 'Z' && group > 0 && !kept.has(group));
    if (strays.length === 0) break;
    for (const { pid } of strays) ended.add(pid);
    signalGroups(new Set(strays.map(({ group }) => group)), 'SIGKILL');
  }
  return ended.size;
}

/** The kernel should end a command before it ends us. We may not touch our own score: nobody may look into this process. */
export function preferOutOfMemory(pid) {
  try {
    fs.writeFileSync(`/proc/${pid}/oom_score_adj`, '900');
  } catch {}
}
