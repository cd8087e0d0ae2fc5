import type { SandboxIsolation, SandboxLimits } from './port.ts';

/**
 * What a driver offers on this machine, with the limits that are only advisory: code that means to get around them can,
 * because they are watched from time to time, or not at all, instead of held by the kernel.
 */
export function describeIsolation(offered: Omit<SandboxIsolation, 'advisory'>): SandboxIsolation {
  const { kind, limits, disk } = offered;
  const advisory: (keyof SandboxLimits)[] = [];
  // Without namespaces commands have the worker's own rights, also over its control groups.
  if (kind === 'none' || limits === 'none') advisory.push('cpu', 'memory_mb', 'pids');
  else if (limits === 'rlimit') advisory.push('cpu', 'memory_mb');
  if (disk === 'poll') advisory.push('disk_mb');
  return { ...offered, advisory };
}
