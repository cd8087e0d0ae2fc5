import type { AgentTool } from '../../../adapters/agent/port.ts';
import type { Attempt } from '../attempt/attempt.ts';
import type { SessionSandbox } from '../workspace/sandboxes.ts';
import type { CheckoutSet } from '../workspace/checkout-set.ts';

/** The sandbox that gets the context, and what the session is about. */
export interface ContextInput {
  readonly attempt: Attempt;
  readonly checkoutSet: CheckoutSet;
  /** The sandbox of the agent, with the repositories checked out. */
  readonly sessionSandbox: SessionSandbox;
  /** The session's prompt, and the words of the turn that begins the run. */
  readonly prompt: string;
}

/**
 * What a session has of one kind. `Given` is its record: enough to show it, and to give the same again to a new sandbox
 * in the middle of a run.
 */
export interface ContextPart<Given> {
  readonly given: readonly Given[];
  /** For the agent's instructions: Markdown from a heading of the first level on, `''` for nothing. */
  readonly section: string;
  readonly tools: readonly AgentTool[];
  /** Ends what it started; never rejects. */
  close?(): Promise<void>;
}

/**
 * Gives a session one kind of context. A cold start (a fresh workspace, and a turn that begins) finds out anew what
 * applies; `before` is what an earlier start of the session was given. In the middle of a run a new sandbox gets exactly
 * what `before` says. Warns and goes on when something cannot be had; rejects only as a sandbox that is lost does.
 */
export type ContextProvider<Given> = (
  input: ContextInput,
  before: readonly Given[] | undefined,
  start: 'cold' | 'again',
) => Promise<ContextPart<Given>>;
