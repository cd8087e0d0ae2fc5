import type { Wanted } from '../../../features/sessions/run/kept-service.ts';
import type { SandboxState, StatusDetail } from '../../../features/sessions/schemas/session-schemas.ts';
import { ProviderError } from '../../../lib/errors.ts';
import type { StopReason } from './decide.ts';

/** The turn is to end before its work is done. */
export class TurnStopped extends Error {
  readonly reason: StopReason;

  constructor(reason: StopReason) {
    super(`The turn was stopped: ${reason}.`);
    this.name = 'TurnStopped';
    this.reason = reason;
  }
}

/** The session ends as failed. The message is for its owner. */
export class RunFailed extends Error {
  readonly code: string;
  readonly detail: StatusDetail;
  readonly sandboxState: SandboxState;

  constructor(detail: StatusDetail, message: string, options: { code?: string; sandboxState?: SandboxState } = {}) {
    super(message);
    this.name = 'RunFailed';
    this.code = options.code ?? detail;
    this.detail = detail;
    this.sandboxState = options.sandboxState ?? 'none';
  }
}

/** The installation's own git host cannot be reached from this worker; another one may reach it. */
export class OwnHostAway extends ProviderError {}

/** How a worker reaches into a run: to take it away, or to end its turn. */
export class RunControl {
  /**
   * Lets the worker keep a session whose turn has ended: resolves when it is wanted again and there is a slot for it, or
   * with undefined when it has to be given up. Never rejects.
   */
  readonly waitForWork: () => Promise<Wanted | undefined>;
  /** Resolves when an outage of the database that is over was told of. Never rejects. */
  readonly catchUp: () => Promise<void>;
  /** Minutes that the session may work in all, as its budget says now. */
  maxMinutes: number | undefined;
  /** Told of an outage of the database that was longer than a lease, in milliseconds, when it is over. */
  onRegained: (blindMs: number) => void = () => undefined;
  readonly #lost = new AbortController();
  #stop = new AbortController();
  #draining = false;
  #turnBeganAt = 0;

  constructor({ waitForWork, catchUp }: Pick<RunControl, 'waitForWork' | 'catchUp'>) {
    this.waitForWork = waitForWork;
    this.catchUp = catchUp;
  }

  /** Aborted when the lease is lost: nothing may be written any more. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Aborted when the current turn has to end, with a {@link TurnStopped}, and when the lease is lost. */
  get signal(): AbortSignal {
    return AbortSignal.any([this.#lost.signal, this.#stop.signal]);
  }

  loseLease(error: Error): void {
    this.#lost.abort(error);
  }

  /**
   * Ends the current turn; the first reason counts, but nothing is begun after a drain. `seenAt` is when it was seen that
   * somebody asks for it, in milliseconds of `performance.now()`: what was seen before the turn began meant the last one.
   */
  stopTurn(reason: StopReason, seenAt: number = Infinity): void {
    if (seenAt < this.#turnBeganAt) return;
    if (reason === 'drain') this.#draining = true;
    this.#stop.abort(new TurnStopped(reason));
  }

  /** Why the current turn has to end; undefined while it need not. */
  get stopped(): StopReason | undefined {
    const reason: unknown = this.#stop.signal.reason;
    return reason instanceof TurnStopped ? reason.reason : undefined;
  }

  /** Forgets why the last turn was stopped. */
  nextTurn(): void {
    this.#turnBeganAt = performance.now();
    if (!this.#stop.signal.aborted) return;
    this.#stop = new AbortController();
    if (this.#draining) this.stopTurn('drain');
  }
}
