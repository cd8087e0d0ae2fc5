import type { SandboxIsolation, SandboxLimits } from './port.ts';

/**
 * Adds the advisory limits to a driver's isolation on this machine: those that malicious code can exceed, because they are
 * polled, or not enforced at all, instead of enforced by the kernel.
 */
export function describeIsolation(offered: Omit<SandboxIsolation, 'advisory'>): SandboxIsolation {
  const { kind, limits, disk } = offered;
  const advisory: (keyof SandboxLimits)[] = [];
  // Without namespaces commands have the worker's permissions, also on its control groups.
  if (kind === 'none' || limits === 'none') advisory.push('cpu', 'memory_mb', 'pids');
  else if (limits === 'rlimit') advisory.push('cpu', 'memory_mb');
  if (disk === 'poll') advisory.push('disk_mb');
  return { ...offered, advisory };
}
