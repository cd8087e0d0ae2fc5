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
  /** The process groups of commands that went on in the background. */
  background: Set<number>;
}

/** The worker did not store or answer something: another worker has the session, or its database is unavailable. */
export class WorkerRefused extends Error {}

/** Puts entries and their events on record, and then into the transcript. Throws {@link WorkerRefused}. */
export async function keep(
  { options, transcript }: Conversation,
  entries: readonly Entry[],
  events: readonly AgentEvent[],
): Promise<void> {
  await ofWorker(options.record(entries, events));
  for (const entry of entries) transcript.add(entry);
}

/** Tells what the worker refuses from what goes wrong here. */
export async function ofWorker<Value>(answer: Promise<Value>): Promise<Value> {
  try {
    return await answer;
  } catch (error) {
    throw new WorkerRefused('The worker refused.', { cause: error });
  }
}
