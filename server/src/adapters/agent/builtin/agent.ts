import { messageOf, ProviderError } from '../../../lib/errors.ts';
import type { Agent, AgentModel, AgentOptions, AgentPrompt, AgentResult } from '../port.ts';
import { restoredNote } from './begin.ts';
import { truncate, oneLine } from './bounds.ts';
import { type Conversation, callWorker, WorkerCallFailed } from './conversation.ts';
import { buildInstructions } from './prompt.ts';
import { connectModel } from './provider-models.ts';
import { readRecords, readState } from './records.ts';
import type { Retries } from './retries.ts';
import { toSdkTools, toolsForMode } from './tools/toolbox.ts';
import { Transcript } from './transcript.ts';
import { runTurn } from './turn.ts';

/** Starts a session's agent at the end of its records. Throws `ProviderError` for records of another agent. */
export function openAgent(options: AgentOptions, model: AgentModel, retries: Retries): Agent {
  const { mode, systemPrompt, briefing } = options.settings;
  const entries = readRecords(options.records ?? []);
  const recordsInTree = readState(options.state, entries.length);
  const transcript = new Transcript();
  for (const entry of entries) transcript.add(entry);
  const tools = toolsForMode(mode, options.tools);
  const interruption = options.interruption ?? '';
  const note = restoredNote(entries, { from: recordsInTree, tools, interruption });
  return new BuiltinAgent({
    // The transcript has everything it needs from the records.
    options: { ...options, records: undefined },
    model: connectModel(model),
    contextTokens: model.contextTokens,
    secrets: secretsOf(model),
    instructions: buildInstructions({ mode, systemPrompt, briefing, sandbox: options.sandbox }),
    tools,
    toolSet: toSdkTools(tools),
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
      throw new Error('The built-in agent is closed, or already runs a turn.');
    }
    const abort = new AbortController();
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    this.#running = { abort, ended };
    const signal = AbortSignal.any([abort.signal, input.signal ?? abort.signal]);
    try {
      const result = await runTurn(this.#conversation, input, signal);
      // Saves the work of a turn that ended early, so that the next message can continue it.
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
    await callWorker(options.onStep({ records: transcript.count }));
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

/** Kills background commands. If the sandbox is lost, they have ended already. */
async function endBackground({ options: { sandbox }, background }: Conversation): Promise<void> {
  if (background.size === 0) return;
  const command = ['kill', '-KILL', '--', ...[...background].map((group) => `-${group}`)];
  await sandbox.exec({ command, timeoutMs: 5_000 }).catch(() => undefined);
}

/** Converts an error into a turn's result. Rethrows a lost sandbox and a refusal by the worker. */
function resultOf(error: unknown, signal: AbortSignal): AgentResult {
  if (signal.aborted) return { stopReason: 'canceled', summary: '' };
  if (error instanceof WorkerCallFailed) throw error.cause;
  if (error instanceof ProviderError) throw error;
  const message = `The built-in agent failed: ${truncate(oneLine(messageOf(error)), 500)}`;
  return { stopReason: 'error', summary: '', error: { code: 'agent_error', message } };
}

/** Values of the gateway's authorization headers, with and without their scheme. */
function secretsOf({ headers }: AgentModel): string[] {
  return Object.values(headers)
    .flatMap((value) => [value, value.replace(/^\w+\s+/, '')])
    .filter((value) => value.length >= 8);
}
