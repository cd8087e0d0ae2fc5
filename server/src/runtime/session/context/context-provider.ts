import type { AgentTool } from '../../../adapters/agent/port.ts';
import type { Attempt } from '../attempt/attempt.ts';
import type { SessionSandbox } from '../workspace/sandboxes.ts';
import type { CheckoutSet } from '../workspace/checkout-set.ts';

/** The sandbox that gets the context, and the session's prompt. */
export interface ContextInput {
  readonly attempt: Attempt;
  readonly checkoutSet: CheckoutSet;
  /** The sandbox of the agent, with the repositories checked out. */
  readonly sessionSandbox: SessionSandbox;
  /** The session's prompt and the message of the run's first turn. */
  readonly prompt: string;
  /** True if the agent resumes with its memory of the conversation. */
  readonly hasMemory: boolean;
}

/**
 * One kind of a session's context. `Given` is its record: enough to show it, and to provide the same again in a new sandbox in
 * the middle of a run.
 */
export interface ContextPart<Given> {
  readonly given: readonly Given[];
  /** Section of the agent's instructions: Markdown that starts with a level 1 heading; `''` for none. */
  readonly section: string;
  readonly tools: readonly AgentTool[];
  /** Stops everything it started. Never rejects. */
  close?(): Promise<void>;
}

/**
 * Provides one kind of context. A cold start (a new turn in a new workspace) selects what applies; `before` is the record of
 * an earlier start. In the middle of a run a new sandbox gets exactly the context in `before`. Warns about missing parts and
 * continues; rejects only for a lost sandbox.
 */
export type ContextProvider<Given> = (
  input: ContextInput,
  before: readonly Given[] | undefined,
  start: 'cold' | 'again',
) => Promise<ContextPart<Given>>;
