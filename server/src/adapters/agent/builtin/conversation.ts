import type { ToolSet } from 'ai';
import type { AgentEvent, AgentOptions } from '../port.ts';
import type { CallableModel } from './provider-models.ts';
import type { Entry } from './records.ts';
import type { Retries } from './retries.ts';
import type { Tool } from './tools/tool.ts';
import type { Transcript } from './transcript.ts';

/** What the turns of an agent share. */
export interface Conversation {
  options: AgentOptions;
  model: CallableModel;
  contextTokens: number;
  /** What must not be repeated in an error: the gateway's bearer. */
  secrets: readonly string[];
  instructions: string;
  tools: ReadonlyMap<string, Tool>;
  toolSet: ToolSet;
  transcript: Transcript;
  retries: Retries;
  /** Whether the model refused what it was to see: it is told in words alone from then on. */
  isBlind: boolean;
  /** Why the turn before this agent's first one was cut short; `''` from then on. */
  interruption: string;
  /** What the model has to know before its next step. */
  notes: string[];
  /** The process groups of commands that went on in the background. */
  background: Set<number>;
}

/** What the worker did not keep, or did not answer: the session is another worker's, or its database is away. */
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
