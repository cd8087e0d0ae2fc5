import type { AgentPrompt, AgentResult } from '../port.ts';
import { beginTurn } from './begin.ts';
import { askedResult, CallRunner } from './call-runner.ts';
import { compact, isNearlyFull } from './compact.ts';
import { type Conversation, record, callWorker } from './conversation.ts';
import { formatFailure, type StepFailure } from './failures.ts';
import { takeModelStep, type StepOutcome } from './model-step.ts';
import type { AssistantPart, EntryOf } from './records.ts';
import { pause, seconds, waitMsAfter } from './retries.ts';
import { callEvent } from './tool-calls.ts';
import { callsOf } from './transcript.ts';

/** Limit for the model steps of a turn; more than any productive task needs. */
const maxSteps = 500;
/** Limit for consecutive answers cut by the output limit; more are a loop. */
const maxCuts = 10;
/** The time for the worker to end a turn whose model calls the gateway refuses, in milliseconds. */
const refusedWaitMs = 5_000;

const canceled: AgentResult = { stopReason: 'canceled', summary: '' };

/** Runs one turn to its end. Rejects when the sandbox is lost, or with `WorkerRefused`. */
export async function runTurn(
  conversation: Conversation,
  input: AgentPrompt,
  signal: AbortSignal,
): Promise<AgentResult> {
  await beginTurn(conversation, input);
  return new Turn(conversation, input, signal).run();
}

class Turn {
  readonly #conversation: Conversation;
  readonly #input: AgentPrompt;
  readonly #signal: AbortSignal;
  readonly #calls: CallRunner;
  /** Failed attempts of the current step. */
  #failures = 0;
  #steps = 0;
  #cuts = 0;
  /** True after a compaction because the model rejected a conversation that should have fitted. */
  #squeezed = false;

  constructor(conversation: Conversation, input: AgentPrompt, signal: AbortSignal) {
    this.#conversation = conversation;
    this.#input = input;
    this.#signal = signal;
    this.#calls = new CallRunner(conversation, signal);
  }

  async run(): Promise<AgentResult> {
    const { transcript } = this.#conversation;
    for (;;) {
      if (this.#signal.aborted) return canceled;
      const { last } = transcript;
      if (last?.type === 'asked') return askedResult(last);
      const pending = transcript.pendingCalls();
      const result =
        pending.length > 0 ? await this.#calls.run(pending) : ((await this.#ending(last)) ?? (await this.#step()));
      if (result !== undefined) return result;
    }
  }

  /** Returns the turn's result if its last step ended it and no message arrived since. */
  async #ending(last: EntryOf<'assistant'> | { type: string } | undefined): Promise<AgentResult | undefined> {
    const { transcript } = this.#conversation;
    if (last !== undefined && isStep(last) && last.cut === 'refused') return refused(transcript.closingText());
    const steered = await this.#takeMessages();
    if (steered || last === undefined || !isStep(last)) return undefined;
    if (last.cut === undefined) {
      // A resumed turn may have lost files after its last step; the model has to know before the work is delivered.
      return this.#conversation.notes.length > 0
        ? undefined
        : { stopReason: 'end_turn', summary: transcript.closingText() };
    }
    this.#conversation.notes.push(
      last.cut === 'length'
        ? 'Your output limit was reached. Continue exactly where your answer stopped, without repeating any of it.'
        : 'Your answer was interrupted because the platform moved your session. Continue your work.',
    );
    return undefined;
  }

  /** Takes new messages of the user and notes of the platform. Returns true if there was a message of the user. */
  async #takeMessages(): Promise<boolean> {
    const messages = (await callWorker(this.#input.takeMessages?.() ?? Promise.resolve([]))) ?? [];
    if (messages.length === 0) return false;
    const entries = messages.map(({ text, attachments }) => ({ type: 'user' as const, text, attachments }));
    await record(this.#conversation, entries, []);
    return true;
  }

  async #step(): Promise<AgentResult | undefined> {
    const conversation = this.#conversation;
    const { model, options, transcript, instructions, toolSet, secrets } = conversation;
    if (this.#steps >= maxSteps) return agentError(`The agent did not end its turn within ${maxSteps} steps.`);
    const notes = conversation.notes.splice(0).map((text) => ({ type: 'note' as const, text }));
    if (notes.length > 0)
      await record(
        conversation,
        notes,
        notes.map(({ text }) => ({ kind: 'told', text })),
      );
    if (isNearlyFull(conversation)) {
      const made = await compact(conversation, this.#signal);
      if (this.#signal.aborted) return canceled;
      if (typeof made === 'object') return this.#fail(made);
    }
    const outcome = await takeModelStep({
      model,
      instructions,
      messages: transcript.messages({ sees: this.#sees }),
      tools: toolSet,
      maxOutputTokens: options.settings.maxTokens ?? undefined,
      temperature: options.settings.temperature ?? undefined,
      secrets,
      signal: this.#signal,
      onEvent: options.onEvent,
      knowsCall: (id) => transcript.knows(id),
    });
    if (outcome.kind === 'done') return this.#finish(outcome);
    if (outcome.kind === 'canceled') return this.#cancel(outcome);
    for (const event of outcome.closing) options.onEvent(event);
    return this.#fail(outcome.failure);
  }

  async #finish(outcome: Extract<StepOutcome, { kind: 'done' }>): Promise<AgentResult | undefined> {
    const { model, transcript } = this.#conversation;
    const { content, finish, usage, problems, closing } = outcome;
    this.#failures = 0;
    this.#squeezed = false;
    this.#steps += 1;
    const isRefused = finish === 'content-filter';
    const step = stepEntry(isRefused ? content.filter(({ type }) => type !== 'tool-call') : content, outcome);
    const calls = callsOf(step);
    const isCut = finish === 'length' && calls.length === 0;
    this.#cuts = isCut ? this.#cuts + 1 : 0;
    if (isRefused) step.cut = 'refused';
    else if (isCut) step.cut = 'length';
    const events = [...closing, ...calls.map((call) => callEvent(call, this.#conversation))];
    await record(
      this.#conversation,
      [step],
      [
        ...events,
        {
          kind: 'usage',
          model: model.id,
          inputTokens: usage?.inputTokens ?? 0,
          outputTokens: usage?.outputTokens ?? 0,
          cachedInputTokens: usage?.inputTokenDetails.cacheReadTokens ?? 0,
        },
      ],
    );
    if (isRefused) return refused(transcript.closingText());
    if (this.#cuts >= maxCuts) return agentError(`The output limit cut ${maxCuts} consecutive answers of the model.`);
    this.#calls.expect(calls, problems);
    return undefined;
  }

  get #sees(): boolean {
    return this.#conversation.model.acceptsImages && !this.#conversation.isBlind;
  }

  /** Keeps the visible part of an interrupted step in the conversation. */
  async #cancel({ content, closing }: StepOutcome): Promise<AgentResult> {
    const { options } = this.#conversation;
    if (content.length > 0) {
      await record(this.#conversation, [{ type: 'assistant', content, cut: 'interrupted' }], closing);
    } else {
      for (const event of closing) options.onEvent(event);
    }
    return canceled;
  }

  /** Retries a failed step, or ends the turn. */
  async #fail(failure: StepFailure): Promise<AgentResult | undefined> {
    const { model, options, retries } = this.#conversation;
    if (failure.kind === 'gateway') {
      await pause(refusedWaitMs, this.#signal);
      return canceled;
    }
    if (failure.kind === 'context' && !this.#squeezed) {
      this.#squeezed = true;
      const made = await compact(this.#conversation, this.#signal);
      if (this.#signal.aborted) return canceled;
      if (made === 'made') return undefined;
      if (typeof made === 'object') return this.#fail(made);
    }
    if (failure.kind === 'fatal' && this.#sees && this.#conversation.transcript.hasImages) {
      // The model may not accept images.
      this.#conversation.isBlind = true;
      const message = `${formatFailure(model.id, failure)} Trying again without the images of earlier results.`;
      options.onEvent({ kind: 'warning', code: 'images_left_out', message });
      return undefined;
    }
    if (failure.kind !== 'retry') return modelError(formatFailure(model.id, failure));
    this.#failures += 1;
    const { maxAttempts } = retries;
    if (this.#failures >= maxAttempts) {
      return modelError(`${formatFailure(model.id, failure)} All ${maxAttempts} attempts failed.`);
    }
    const waitMs = waitMsAfter(retries, this.#failures, failure);
    const message = `The model ${failure.behaviour}. Trying again in ${seconds(waitMs)} (${this.#failures + 1} of ${maxAttempts}).`;
    options.onEvent({ kind: 'warning', code: 'model_retry', message });
    await pause(waitMs, this.#signal);
    return undefined;
  }
}

function stepEntry(content: AssistantPart[], { usage }: Extract<StepOutcome, { kind: 'done' }>): EntryOf<'assistant'> {
  const { inputTokens: input, outputTokens: output } = usage ?? {};
  if (input === undefined || output === undefined) return { type: 'assistant', content };
  return { type: 'assistant', content, usage: { input, output } };
}

function isStep(entry: { type: string }): entry is EntryOf<'assistant'> {
  return entry.type === 'assistant';
}

function refused(summary: string): AgentResult {
  return { stopReason: 'refused', summary };
}

function agentError(message: string): AgentResult {
  return { stopReason: 'error', summary: '', error: { code: 'agent_error', message } };
}

function modelError(message: string): AgentResult {
  return { stopReason: 'error', summary: '', error: { code: 'model_error', message } };
}
