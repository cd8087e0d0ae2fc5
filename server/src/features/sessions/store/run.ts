/** A session in the hands of a worker. Every write names the fence, and is refused once another one was given out. */
export interface Run {
  readonly id: string;
  readonly orgId: string;
  readonly fence: number;
  /** Aborted when nothing of it is to be written any more. Without it no write waits for a database that is away. */
  readonly lost?: AbortSignal;
}

/** Another worker took the session, or it was canceled: nothing of this run counts any more. */
export class LeaseLost extends Error {
  constructor(id: string) {
    super(`This run no longer owns the session ${id}.`);
    this.name = 'LeaseLost';
  }
}
