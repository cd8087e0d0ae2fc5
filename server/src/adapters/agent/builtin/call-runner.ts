import { randomUUID } from 'node:crypto';
import type { AgentResult } from '../port.ts';
import { type Conversation, record, callWorker } from './conversation.ts';
import type { EntryOf, ToolCall } from './records.ts';
import { finishCall, runCall } from './tool-calls.ts';
import { failed, type ToolOutcome } from './tools/tool.ts';

/** Limit for repeating the same failing call; each repetition costs a model call. */
const maxRepeats = 8;
/** Limit for calls that run together: each may start programs in the sandbox. */
const maxTogether = 8;

const canceled: AgentResult = { stopReason: 'canceled', summary: '' };

/** Runs the tool calls of a turn's steps and records their results, one after another. */
export class CallRunner {
  readonly #conversation: Conversation;
  readonly #signal: AbortSignal;
  /** Calls of this attempt's steps, with the problem of an invalid one; other calls are a lost worker's. */
  readonly #expected = new Map<string, string | undefined>();
  #repeated = { key: '', count: 0 };

  constructor(conversation: Conversation, signal: AbortSignal) {
    this.#conversation = conversation;
    this.#signal = signal;
  }

  expect(calls: readonly ToolCall[], problems: ReadonlyMap<string, string>): void {
    for (const { toolCallId } of calls) this.#expected.set(toolCallId, problems.get(toolCallId));
  }

  /** Returns the turn's result if a call ends it. Rejects when the sandbox is lost. */
  async run(calls: readonly ToolCall[]): Promise<AgentResult | undefined> {
    const asking = calls.find((call) => this.#question(call) !== undefined);
    let changes = false;
    for (const group of this.#groups(calls.filter((call) => call !== asking))) {
      if (this.#signal.aborted) return canceled;
      let outcomes: ToolOutcome[];
      try {
        outcomes = await Promise.all(group.map((call) => this.#outcome(call)));
      } catch (error) {
        if (!this.#signal.aborted) throw error;
        return canceled;
      }
      for (const [index, call] of group.entries()) {
        const outcome = outcomes[index];
        if (outcome === undefined) continue;
        // The first one is recorded: a call that runs alone may have changed something.
        if (index > 0 && this.#signal.aborted) return canceled;
        const { entry, events } = finishCall(call, outcome);
        await record(this.#conversation, [entry], events);
        changes ||= outcome.changes === true;
        if (outcome.background !== undefined) this.#conversation.background.add(outcome.background);
        if (this.#repeats(call, outcome)) return repeatedResult(call);
      }
    }
    const { options, transcript } = this.#conversation;
    if (changes && !this.#signal.aborted) await callWorker(options.onStep({ records: transcript.count }));
    return asking === undefined || this.#signal.aborted ? undefined : this.#ask(asking);
  }

  /** Groups consecutive read-only calls, which run concurrently, a few at a time; others run alone. */
  #groups(calls: readonly ToolCall[]): ToolCall[][] {
    const groups: ToolCall[][] = [];
    let open = false;
    for (const call of calls) {
      const reads = this.#conversation.tools.get(call.toolName)?.kind === 'read';
      const group = groups.at(-1) ?? [];
      if (reads && open && group.length < maxTogether) group.push(call);
      else groups.push([call]);
      open = reads;
    }
    return groups;
  }

  #outcome(call: ToolCall): Promise<ToolOutcome> {
    const { tools, options } = this.#conversation;
    const isOurs = this.#expected.has(call.toolCallId);
    // An unknown tool counts as one that changes files.
    if (!isOurs && (tools.get(call.toolName)?.kind ?? 'change') === 'change') return Promise.resolve(this.#cutShort());
    return runCall(call, this.#expected.get(call.toolCallId), { tools, options, signal: this.#signal });
  }

  /** A call of an earlier attempt that has no result. */
  #cutShort(): ToolOutcome {
    const why = this.#conversation.interruption || 'The platform lost the machine';
    return {
      ...failed(`${why} while this ran. Its effects are unknown: check them before you continue.`),
      changes: true,
    };
  }

  /** Returns the question of a call, or the action to approve; undefined for any other call. */
  #question({ toolName, toolCallId, input }: ToolCall): string | undefined {
    if (this.#expected.get(toolCallId) !== undefined || typeof input !== 'object' || input === null) return undefined;
    const kind = this.#conversation.tools.get(toolName)?.kind;
    let question: unknown;
    if (kind === 'ask' && 'question' in input) question = input.question;
    else if (kind === 'submit' && 'plan' in input) question = input.plan;
    return typeof question === 'string' && question.trim() !== '' ? question : undefined;
  }

  async #ask(call: ToolCall): Promise<AgentResult> {
    const question = this.#question(call) ?? '';
    const isPlan = this.#conversation.tools.get(call.toolName)?.kind === 'submit';
    const entry = { type: 'asked' as const, callId: call.toolCallId, question, ...(isPlan ? { isPlan } : {}) };
    await record(
      this.#conversation,
      [entry],
      [{ kind: 'message', messageId: randomUUID(), role: 'agent', delta: question, done: true }],
    );
    return askedResult(entry);
  }

  #repeats(call: ToolCall, { ok }: ToolOutcome): boolean {
    const key = JSON.stringify([call.toolName, call.input]);
    if (ok) this.#repeated = { key: '', count: 0 };
    else this.#repeated = { key, count: key === this.#repeated.key ? this.#repeated.count + 1 : 1 };
    return this.#repeated.count >= maxRepeats;
  }
}

/** Result of a turn that ended with a question or a plan. */
export function askedResult({ question, isPlan = false }: Omit<EntryOf<'asked'>, 'type' | 'callId'>): AgentResult {
  return { stopReason: 'awaiting_user', summary: question, ...(isPlan ? { plan: question } : {}) };
}

function repeatedResult({ toolName }: ToolCall): AgentResult {
  const message = `The agent repeated the same failing call of ${toolName} ${maxRepeats} times.`;
  return { stopReason: 'error', summary: '', error: { code: 'agent_error', message } };
}
