const graceMs = 3_000;

export interface GroupGuard {
  /** Why the group was stopped, while it was. */
  stoppedBy(): 'timeout' | 'signal' | 'caller' | undefined;
  stop(): void;
  /** Ends the watch; call it when the process is gone. */
  release(): void;
}

/**
 * Stops a detached child with everything it started: git leaves its transport and pack processes behind when only it is
 * killed, and they hold its pipes open. SIGTERM lets git remove its temporary files, SIGKILL follows after 3 s.
 */
export function guardGroup(pid: number | undefined, options: { timeoutMs?: number; signal?: AbortSignal }): GroupGuard {
  let reason: ReturnType<GroupGuard['stoppedBy']>;
  let forced: NodeJS.Timeout | undefined;
  const stop = (by: 'timeout' | 'signal' | 'caller'): void => {
    if (reason !== undefined) return;
    reason = by;
    killGroup(pid, 'SIGTERM');
    forced = setTimeout(() => killGroup(pid, 'SIGKILL'), graceMs);
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
