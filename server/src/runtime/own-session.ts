import type { WokenSession } from '../features/sessions/run/warm-service.ts';
import type { HeldLease } from './leases.ts';

/** A session that this worker runs, or keeps in a warm sandbox. */
export interface OwnSession extends HeldLease {
  ended: Promise<void>;
  /** Set while the session only waits for a message, and takes no slot. */
  endWait: EndWait | undefined;
  /** A check for new messages is requested, and under way. */
  isCheckRequested?: boolean;
  isChecking?: boolean;
}

/** Ends the wait of a session with a warm sandbox: it resumes, or (undefined) loses its sandbox. */
type EndWait = (woken: WokenSession | undefined) => void;
