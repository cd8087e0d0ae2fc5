/** A session owned by a worker. Every write checks the fencing token, and is rejected once another one was issued. */
export interface Run {
  readonly id: string;
  readonly orgId: string;
  readonly fence: number;
  /** Aborts when nothing may be written any more. Without it, no write waits for an unavailable database. */
  readonly lost?: AbortSignal;
}

/** Another worker claimed the session, or it was canceled: nothing of this run counts any more. */
export class LeaseLost extends Error {
  constructor(id: string) {
    super(`This run no longer owns the session ${id}.`);
    this.name = 'LeaseLost';
  }
}
