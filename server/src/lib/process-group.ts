import type { Readable, Writable } from 'node:stream';

const defaultGraceMs = 3_000;

/** A child that was started `detached`: it leads a process group of its own. */
export interface GroupLeader {
  readonly pid?: number | undefined;
  readonly stdin: Writable | null;
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
}

export interface GroupGuard {
  /** Why the group was stopped, while it was. */
  stoppedBy(): 'timeout' | 'signal' | 'caller' | undefined;
  stop(): void;
  /** Ends the watch; call it when the process is gone. */
  release(): void;
}

/**
 * Stops a detached child with everything it started: programs leave their children behind when only they are killed, and
 * those hold the pipes open. SIGTERM lets them remove their temporary files and locks. SIGKILL follows after `graceMs`
 * (3 s unless told), and the pipes are closed, which a child that left the group may still hold.
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
    // Gone already.
  }
}
