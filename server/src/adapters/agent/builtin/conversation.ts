import type { ToolSet } from 'ai';
import type { AgentEvent, AgentOptions } from '../port.ts';
import type { CallableModel } from './provider-models.ts';
import type { Entry } from './records.ts';
import type { Retries } from './retries.ts';
import type { Tool } from './tools/tool.ts';
import type { Transcript } from './transcript.ts';

/** The state shared by the turns of an agent. */
export interface Conversation {
  options: AgentOptions;
  model: CallableModel;
  contextTokens: number;
  /** Secrets to remove from errors: the gateway's bearer token. */
  secrets: readonly string[];
  instructions: string;
  tools: ReadonlyMap<string, Tool>;
  toolSet: ToolSet;
  transcript: Transcript;
  retries: Retries;
  /** True after the model rejected images: it gets only text from then on. */
  isBlind: boolean;
  /** The reason why the turn before this agent's first one was interrupted; `''` from then on. */
  interruption: string;
  /** Notes for the model's next step. */
  notes: string[];
  /** Process groups of background commands. */
  background: Set<number>;
}

/** A call to the worker failed: another worker has the session, or the database is unavailable. */
export class WorkerCallFailed extends Error {}

/** Records entries and their events, then adds them to the transcript. Throws {@link WorkerCallFailed}. */
export async function record(
  { options, transcript }: Conversation,
  entries: readonly Entry[],
  events: readonly AgentEvent[],
): Promise<void> {
  await callWorker(options.record(entries, events));
  for (const entry of entries) transcript.add(entry);
}

/** Wraps a failure of the worker into {@link WorkerCallFailed}. */
export async function callWorker<Value>(answer: Promise<Value>): Promise<Value> {
  try {
    return await answer;
  } catch (error) {
    throw new WorkerCallFailed('A call to the worker failed.', { cause: error });
  }
}
