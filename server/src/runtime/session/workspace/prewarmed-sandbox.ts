import type { Attempt } from '../attempt/attempt.ts';
import { checkOut } from './check-out.ts';
import { openSandbox, type SandboxPurpose, type SessionSandbox } from './sandboxes.ts';
import type { Checkout, CheckoutSet } from './checkout-set.ts';

/** The commit that a repository is to be checked out at. */
export type CommitOf = (checkout: Checkout) => string;

/** A sandbox for a check that is begun before it is known whether it is needed. Who takes it hears of a failure, nobody else. */
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

  /** Starts it, with nothing in it. */
  open(): void {
    this.#begin(this.#sandbox ?? openSandbox(this.#attempt, this.#checkoutSet, this.#phase));
  }

  /** Checks the repositories out in it; starts it before where nobody did. */
  fill(commitOf: CommitOf): void {
    this.open();
    const opened = this.take();
    if (opened !== undefined)
      this.#begin(
        opened.then((sessionSandbox) => checkOutAll(this.#attempt, this.#checkoutSet, sessionSandbox, commitOf)),
      );
  }

  /** The sandbox, for one use; undefined when none was begun. */
  take(): Promise<SessionSandbox> | undefined {
    const sessionSandbox = this.#sandbox;
    this.#sandbox = undefined;
    return sessionSandbox;
  }

  /** Gives up a sandbox that nobody took. */
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
