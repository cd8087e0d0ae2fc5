let processes = 1;

/** Sets the number of processes that divide the limits of this machine. Called before any work begins. */
export function divideMachine(count: number): void {
  processes = count;
}

/** Returns the part of a machine's limit that this process may use: at least 1. */
export function shareOf(limit: number): number {
  return processes === 1 ? limit : Math.max(1, Math.ceil(limit / processes));
}
