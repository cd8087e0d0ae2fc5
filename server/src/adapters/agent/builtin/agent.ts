import { messageOf, ProviderError } from '../../../lib/errors.ts';
import type { Agent, AgentModel, AgentOptions, AgentPrompt, AgentResult } from '../port.ts';
import { restoredNote } from './begin.ts';
import { beginningOf, oneLine } from './bounds.ts';
import { type Conversation, ofWorker, WorkerRefused } from './conversation.ts';
import { instructionsOf } from './prompt.ts';
import { connectModel } from './provider-models.ts';
import { readRecords, readState } from './records.ts';
import type { Retries } from './retries.ts';
import { toolSetOf, toolsOf } from './tools/toolbox.ts';
import { Transcript } from './transcript.ts';
import { runTurn } from './turn.ts';

/** Starts the agent of a session, where its records end. Throws `ProviderError` for records that are not its own. */
export function openAgent(options: AgentOptions, model: AgentModel, retries: Retries): Agent {
  const { mode, systemPrompt, briefing } = options.settings;
  const entries = readRecords(options.records ?? []);
  const recordsInTree = readState(options.state, entries.length);
  const transcript = new Transcript();
  for (const entry of entries) transcript.add(entry);
  const tools = toolsOf(mode, options.tools);
  const interruption = options.interruption ?? '';
  const note = restoredNote(entries, { from: recordsInTree, tools, interruption });
  return new BuiltinAgent({
    // The transcript has what is still needed of them.
    options: { ...options, records: undefined },
    model: connectModel(model),
    contextTokens: model.contextTokens,
    secrets: secretsOf(model),
    instructions: instructionsOf({ mode, systemPrompt, briefing, sandbox: options.sandbox }),
    tools,
    toolSet: toolSetOf(tools),
    transcript,
    retries,
    isBlind: false,
    interruption,
    notes: note === undefined ? [] : [note],
    background: new Set(),
  });
}

class BuiltinAgent implements Agent {
  readonly #conversation: Conversation;
  #running: { abort: AbortController; ended: Promise<void> } | undefined;
  #closed = false;

  constructor(conversation: Conversation) {
    this.#conversation = conversation;
  }

  async prompt(input: AgentPrompt): Promise<AgentResult> {
    if (this.#closed || this.#running !== undefined) {
      throw new Error('The built-in agent runs one turn at a time, and none after it was closed.');
    }
    const abort = new AbortController();
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    this.#running = { abort, ended };
    const signal = AbortSignal.any([abort.signal, input.signal ?? abort.signal]);
    try {
      const result = await runTurn(this.#conversation, input, signal);
      // Where a turn ended before its time its work is kept, so that a message can go on with it.
      if (cutShort.has(result.stopReason)) await this.#keepWork();
      return result;
    } catch (error) {
      return resultOf(error, signal);
    } finally {
      this.#running = undefined;
      this.#conversation.interruption = '';
      end();
    }
  }

  async #keepWork(): Promise<void> {
    const { options, transcript } = this.#conversation;
    await ofWorker(options.onStep({ records: transcript.count }));
  }

  async interrupt(): Promise<void> {
    this.#running?.abort.abort(new Error('The turn was interrupted.'));
    await this.#running?.ended;
  }

  async close(): Promise<void> {
    const wasClosed = this.#closed;
    this.#closed = true;
    await this.interrupt();
    if (!wasClosed) await endBackground(this.#conversation);
  }
}

const cutShort: ReadonlySet<AgentResult['stopReason']> = new Set(['canceled', 'error', 'refused']);

/** A sandbox that is gone has ended them already. */
async function endBackground({ options: { sandbox }, background }: Conversation): Promise<void> {
  if (background.size === 0) return;
  const command = ['kill', '-KILL', '--', ...[...background].map((group) => `-${group}`)];
  await sandbox.exec({ command, timeoutMs: 5_000 }).catch(() => undefined);
}

/** A turn that threw: the sandbox is lost, the worker refused, or something is wrong here. */
function resultOf(error: unknown, signal: AbortSignal): AgentResult {
  if (signal.aborted) return { stopReason: 'canceled', summary: '' };
  if (error instanceof WorkerRefused) throw error.cause;
  if (error instanceof ProviderError) throw error;
  const message = `The built-in agent failed: ${beginningOf(oneLine(messageOf(error)), 500)}`;
  return { stopReason: 'error', summary: '', error: { code: 'agent_error', message } };
}

/** The values that the gateway knows the session by, whole and without their scheme. */
function secretsOf({ headers }: AgentModel): string[] {
  return Object.values(headers)
    .flatMap((value) => [value, value.replace(/^\w+\s+/, '')])
    .filter((value) => value.length >= 8);
}
