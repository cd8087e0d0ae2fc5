import type { WokenSession } from '../../../features/sessions/run/warm-service.ts';
import type { SandboxState, StatusDetail } from '../../../features/sessions/schemas/session-schemas.ts';
import { ProviderError } from '../../../lib/errors.ts';
import type { StopReason } from './decide.ts';

/** Thrown to end a turn early. */
export class TurnStopped extends Error {
  readonly reason: StopReason;

  constructor(reason: StopReason) {
    super(`The turn was stopped: ${reason}.`);
    this.name = 'TurnStopped';
    this.reason = reason;
  }
}

/** Thrown to fail the session. The message is for its owner. */
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

/** The built-in git host is unreachable from this worker; another worker may reach it. */
export class BuiltInHostUnavailable extends ProviderError {}

/** Lets the worker take a run away, or end its turn. */
export class RunControl {
  /**
   * Waits with a warm sandbox after a turn. Resolves when there is work and a free slot, or with undefined when the sandbox
   * must go. Never rejects.
   */
  readonly waitForWork: () => Promise<WokenSession | undefined>;
  /** Resolves when {@link onRegained} was called for an outage that is over. Never rejects. */
  readonly catchUp: () => Promise<void>;
  /** The budget's current `max_minutes`, for the whole session. */
  maxMinutes: number | undefined;
  /** Called after an outage of the database that was longer than a lease, with its length in milliseconds. */
  onRegained: (blindMs: number) => void = () => undefined;
  readonly #lost = new AbortController();
  #stop = new AbortController();
  #draining = false;
  #turnBeganAt = 0;

  constructor({ waitForWork, catchUp }: Pick<RunControl, 'waitForWork' | 'catchUp'>) {
    this.waitForWork = waitForWork;
    this.catchUp = catchUp;
  }

  /** Aborted when the lease is lost: the run must write nothing more. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Aborted with a {@link TurnStopped} when the current turn must end, and when the lease is lost. */
  get signal(): AbortSignal {
    return AbortSignal.any([this.#lost.signal, this.#stop.signal]);
  }

  loseLease(error: Error): void {
    this.#lost.abort(error);
  }

  /**
   * Ends the current turn. The first reason counts, and no turn starts after a drain. `seenAt` is the time of the request, in
   * milliseconds of `performance.now()`: a request from before the turn's start meant the previous turn.
   */
  stopTurn(reason: StopReason, seenAt: number = Infinity): void {
    if (seenAt < this.#turnBeganAt) return;
    if (reason === 'drain') this.#draining = true;
    this.#stop.abort(new TurnStopped(reason));
  }

  /** The reason why the current turn must end; undefined while it need not. */
  get stopped(): StopReason | undefined {
    const reason: unknown = this.#stop.signal.reason;
    return reason instanceof TurnStopped ? reason.reason : undefined;
  }

  /** Resets the stop of the last turn. */
  nextTurn(): void {
    this.#turnBeganAt = performance.now();
    if (!this.#stop.signal.aborted) return;
    this.#stop = new AbortController();
    if (this.#draining) this.stopTurn('drain');
  }
}
