import type { Readable, Writable } from 'node:stream';

const defaultGraceMs = 3_000;

/** A child that was started `detached`, and so leads its own process group. */
export interface GroupLeader {
  readonly pid?: number | undefined;
  readonly stdin: Writable | null;
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
}

export interface GroupGuard {
  /** Returns why the group was stopped; undefined if it was not. */
  stoppedBy(): 'timeout' | 'signal' | 'caller' | undefined;
  stop(): void;
  /** Stops the watch; call it after the process has ended. */
  release(): void;
}

/**
 * Stops a detached child together with its process group: children that outlive it would hold the pipes open. SIGTERM lets them
 * remove temporary files and locks. SIGKILL follows after `graceMs` (default 3 s). Then it closes the pipes, which a child that
 * left the group may still hold.
 */
export function guardGroup(
  child: GroupLeader,
  options: { timeoutMs?: number; graceMs?: number; signal?: AbortSignal },
): GroupGuard {
  let reason: ReturnType<GroupGuard['stoppedBy']>;
  let forced: NodeJS.Timeout | undefined;
  const stop = (by: 'timeout' | 'signal' | 'caller'): void => {
    if (reason !== undefined) return;
    reason = by;
    killGroup(child.pid, 'SIGTERM');
    forced = setTimeout(() => {
      killGroup(child.pid, 'SIGKILL');
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
    }, options.graceMs ?? defaultGraceMs);
  };
  const onAbort = (): void => stop('signal');
  const timer = options.timeoutMs === undefined ? undefined : setTimeout(() => stop('timeout'), options.timeoutMs);
  if (options.signal?.aborted === true) onAbort();
  else options.signal?.addEventListener('abort', onAbort, { once: true });
  return {
    stoppedBy: () => reason,
    stop: () => stop('caller'),
    release() {
      clearTimeout(timer);
      clearTimeout(forced);
      options.signal?.removeEventListener('abort', onAbort);
    },
  };
}

function killGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // Already gone.
  }
}
