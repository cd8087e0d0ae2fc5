import type { Attempt } from '../attempt/attempt.ts';
import { checkOut } from './check-out.ts';
import { openSandbox, type SandboxPurpose, type SessionSandbox } from './sandboxes.ts';
import type { Checkout, CheckoutSet } from './checkout-set.ts';

/** Returns the commit to check out for a repository. */
export type CommitOf = (checkout: Checkout) => string;

/** A sandbox for a check, started before it is known to be needed. Only {@link take} reports a failure. */
export class PrewarmedSandbox {
  readonly #attempt: Attempt;
  readonly #checkoutSet: CheckoutSet;
  readonly #phase: SandboxPurpose;
  #sandbox: Promise<SessionSandbox> | undefined;

  constructor(attempt: Attempt, checkoutSet: CheckoutSet, phase: SandboxPurpose) {
    this.#attempt = attempt;
    this.#checkoutSet = checkoutSet;
    this.#phase = phase;
  }

  /** Starts the sandbox, without checkouts. */
  open(): void {
    this.#begin(this.#sandbox ?? openSandbox(this.#attempt, this.#checkoutSet, this.#phase));
  }

  /** Checks out the repositories; starts the sandbox if needed. */
  fill(commitOf: CommitOf): void {
    this.open();
    const opened = this.take();
    if (opened !== undefined)
      this.#begin(
        opened.then((sessionSandbox) => checkOutAll(this.#attempt, this.#checkoutSet, sessionSandbox, commitOf)),
      );
  }

  /** Returns the sandbox, for one use; undefined if none was started. */
  take(): Promise<SessionSandbox> | undefined {
    const sessionSandbox = this.#sandbox;
    this.#sandbox = undefined;
    return sessionSandbox;
  }

  /** Removes a sandbox that was not taken. */
  discard(): void {
    this.take()?.then(
      ({ sandbox }) => this.#attempt.resources.discard(sandbox),
      () => undefined,
    );
  }

  #begin(sessionSandbox: Promise<SessionSandbox>): void {
    sessionSandbox.catch(() => undefined);
    this.#sandbox = sessionSandbox;
  }
}

export async function checkOutAll(
  attempt: Attempt,
  checkoutSet: CheckoutSet,
  sessionSandbox: SessionSandbox,
  commitOf: CommitOf,
): Promise<SessionSandbox> {
  await Promise.all(
    checkoutSet.checkouts.map((checkout) => checkOut(attempt, sessionSandbox, checkout, commitOf(checkout))),
  );
  return sessionSandbox;
}
