import { randomUUID } from 'node:crypto';
import {
  experimental_streamLanguageModelCall as streamLanguageModelCall,
  type FinishReason,
  type LanguageModelStreamPart,
  type LanguageModelUsage,
  type ModelMessage,
  type ProviderMetadata,
  type ToolSet,
} from 'ai';
import { messageOf } from '../../../lib/errors.ts';
import type { AgentEvent } from '../port.ts';
import { classifyFailure, plainFailure, type StepFailure } from './failures.ts';
import type { CallableModel } from './provider-models.ts';
import type { AssistantPart, ToolCall } from './records.ts';

export interface StepRequest {
  model: CallableModel;
  instructions: string;
  messages: ModelMessage[];
  /** Without `execute`: the caller runs them. */
  tools: ToolSet;
  maxOutputTokens: number | undefined;
  temperature: number | undefined;
  /** Secrets to remove from errors. */
  secrets: readonly string[];
  signal: AbortSignal;
  /** Called with each piece of text as it arrives. */
  onEvent: (event: AgentEvent) => void;
  /** Returns true if another call has the id: some providers count ids from 0 in every response. */
  knowsCall: (callId: string) => boolean;
}

/** The result of a step. `closing` are the events that end its messages; they were not emitted. */
export type StepOutcome = { content: AssistantPart[]; closing: AgentEvent[] } & (
  | { kind: 'done'; finish: FinishReason; usage: LanguageModelUsage | undefined; problems: Map<string, string> }
  | { kind: 'canceled' }
  | { kind: 'failed'; failure: StepFailure }
);

// Disables the SDK's warnings about settings that a model ignores, which it would print into the server's log.
globalThis.AI_SDK_LOG_WARNINGS = false;

/** The maximum length of an answer in characters; no model writes as much in one, unless it never ends. */
const maxAnswerLength = 8 * 1_024 * 1_024;
/** The maximum number of calls in an answer; each is an event and a record. */
const maxCalls = 200;
/** The maximum length of a tool's name at all providers. */
const maxNameLength = 64;
/** Exceeds every id of a provider. */
const maxCallIdLength = 256;
/** Counted for each part of an answer besides its text. */
const partLength = 100;

/** Calls the model once and streams its answer. Never rejects; an abort takes effect at once. */
export async function takeModelStep(request: StepRequest): Promise<StepOutcome> {
  const { model, signal, secrets } = request;
  const answer = new AnswerCollector(request);
  const aborted = Promise.withResolvers<'aborted'>();
  const onAbort = () => aborted.resolve('aborted');
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    const reading = read(request, answer);
    // After an abort, nobody else handles the call's rejection.
    reading.catch(() => undefined);
    if ((await Promise.race([reading, aborted.promise])) === 'aborted' || signal.aborted) return answer.canceled();
    return answer.outcome();
  } catch (error) {
    if (signal.aborted) return answer.canceled();
    return answer.failed(classifyFailure(error, secrets));
  } finally {
    signal.removeEventListener('abort', onAbort);
  }

  async function read({ instructions, messages, tools }: StepRequest, into: AnswerCollector): Promise<void> {
    const { stream } = await streamLanguageModelCall({
      ...model.arrange(instructions, messages),
      model: model.languageModel,
      tools,
      maxOutputTokens: request.maxOutputTokens ?? model.maxOutputTokens,
      temperature: request.temperature,
      providerOptions: model.providerOptions,
      abortSignal: signal,
      _internal: { collectContent: false },
    });
    for await (const part of stream) {
      if (signal.aborted) return;
      into.take(part);
      // Closes the connection.
      if (into.isEndless) return;
    }
  }
}

interface Shown {
  part: Extract<AssistantPart, { type: 'text' | 'reasoning' }>;
  messageId: string;
  /** True once a delta was emitted. */
  begun: boolean;
}

/** Collects a model's answer in one step. */
class AnswerCollector {
  readonly #request: StepRequest;
  readonly #content: AssistantPart[] = [];
  readonly #shown: Shown[] = [];
  readonly #open = new Map<string, Shown>();
  /** Calls whose input is incomplete. */
  readonly #begun = new Map<string, string>();
  readonly #problems = new Map<string, string>();
  #length = 0;
  #calls = 0;
  #error: { value: unknown } | undefined;
  #end: { finish: FinishReason; usage: LanguageModelUsage } | undefined;

  constructor(request: StepRequest) {
    this.#request = request;
  }

  /** True once the answer is too long for an end to be expected, or has too many calls. */
  get isEndless(): boolean {
    return this.#length > maxAnswerLength || this.#calls > maxCalls;
  }

  take(part: LanguageModelStreamPart): void {
    this.#length += lengthOf(part);
    if (part.type === 'text-start') this.#start('text', part);
    else if (part.type === 'reasoning-start') this.#start('reasoning', part);
    else if (part.type === 'text-delta') this.#delta('text', part);
    else if (part.type === 'reasoning-delta') this.#delta('reasoning', part);
    else if (part.type === 'text-end') this.#delta('text', { ...part, text: '' });
    else if (part.type === 'reasoning-end') this.#delta('reasoning', { ...part, text: '' });
    else if (part.type === 'tool-input-start') this.#begun.set(part.id, part.toolName);
    else if (part.type === 'tool-call') {
      this.#calls += 1;
      this.#begun.delete(part.toolCallId);
      this.#call(part.toolCallId, part.toolName, part.input, part.providerMetadata);
      if (part.invalid === true) this.#problems.set(this.#lastCallId(), invalidInput(part.error));
    } else if (part.type === 'error') this.#error ??= { value: part.error };
    else if (part.type === 'model-call-end') this.#end = { finish: part.finishReason, usage: part.usage };
  }

  canceled(): StepOutcome {
    // Only shown text: providers reject reasoning without its signature and calls without results.
    const content = this.#shown.flatMap(({ part: { type, text } }) =>
      type === 'text' && text !== '' ? [{ type, text }] : [],
    );
    return { kind: 'canceled', content, closing: this.#closing() };
  }

  failed(failure: StepFailure): StepOutcome {
    return { kind: 'failed', failure, content: [], closing: this.#closing() };
  }

  outcome(): StepOutcome {
    if (this.#calls > maxCalls) return this.failed(plainFailure(`called more than ${maxCalls} tools in one answer`));
    if (this.isEndless) return this.failed({ ...plainFailure('did not end its answer'), kind: 'fatal' });
    if (this.#error !== undefined) return this.failed(classifyFailure(this.#error.value, this.#request.secrets));
    if (this.#end === undefined) return this.failed(plainFailure('ended its answer early'));
    const { finish, usage } = this.#end;
    if (finish === 'interrupted') return this.failed(plainFailure('ended its answer early'));
    if (finish === 'error') return this.failed(plainFailure('gave an unreadable answer'));
    if (finish === 'length') this.#cutCalls();
    const content = this.#content.filter((part) => part.type === 'tool-call' || isWorthKeeping(part));
    const speaks = content.some(
      (part) => part.type === 'tool-call' || (part.type === 'text' && part.text.trim() !== ''),
    );
    if (!speaks && finish !== 'content-filter') return this.failed(plainFailure('gave an empty answer'));
    return { kind: 'done', content, finish, usage, problems: this.#problems, closing: this.#closing() };
  }

  #start(
    type: 'text' | 'reasoning',
    { id, providerMetadata }: { id: string; providerMetadata?: ProviderMetadata },
  ): Shown {
    const part = { type, text: '', ...(providerMetadata === undefined ? {} : { providerOptions: providerMetadata }) };
    const shown = { part, messageId: randomUUID(), begun: false };
    this.#content.push(part);
    this.#shown.push(shown);
    this.#open.set(`${type} ${id}`, shown);
    return shown;
  }

  #delta(type: 'text' | 'reasoning', delta: { id: string; text: string; providerMetadata?: ProviderMetadata }): void {
    const shown = this.#open.get(`${type} ${delta.id}`) ?? this.#start(type, { id: delta.id });
    if (delta.providerMetadata !== undefined) shown.part.providerOptions = delta.providerMetadata;
    if (delta.text === '') return;
    shown.part.text += delta.text;
    shown.begun = true;
    this.#request.onEvent(this.#message(shown, delta.text, false));
  }

  #message({ part, messageId }: Shown, delta: string, done: boolean): AgentEvent {
    const kind = part.type === 'text' ? 'message' : 'thought';
    return { kind, messageId, role: 'agent', delta, done };
  }

  #closing(): AgentEvent[] {
    return this.#shown.filter(({ begun }) => begun).map((shown) => this.#message(shown, '', true));
  }

  #call(id: string, toolName: string, input: unknown, providerMetadata: ProviderMetadata | undefined): void {
    const isUsable =
      id !== '' &&
      id.length <= maxCallIdLength &&
      !this.#request.knowsCall(id) &&
      !this.#content.some((part) => isCall(part, id));
    const call: ToolCall = {
      type: 'tool-call',
      toolCallId: isUsable ? id : `call_${randomUUID()}`,
      toolName: acceptableName(toolName),
      // Providers accept only an object.
      input: typeof input === 'object' && input !== null && !Array.isArray(input) ? input : {},
      ...(providerMetadata === undefined ? {} : { providerOptions: providerMetadata }),
    };
    this.#content.push(call);
  }

  #lastCallId(): string {
    return this.#content.findLast((part) => part.type === 'tool-call')?.toolCallId ?? '';
  }

  /** Adds calls that the output limit cut, as invalid ones. */
  #cutCalls(): void {
    for (const [id, toolName] of this.#begun) {
      this.#call(id, toolName, {}, undefined);
      this.#problems.set(
        this.#lastCallId(),
        'Your output limit was reached before the input of this call was complete.',
      );
    }
    for (const id of this.#problems.keys()) {
      this.#problems.set(id, 'Your output limit cut the input of this call. Split it into smaller calls.');
    }
  }
}

/** Returns a name that providers accept back: they refuse each later request with another one. No tool's name changes. */
function acceptableName(name: string): string {
  return name.slice(0, maxNameLength).replaceAll(/[^a-zA-Z0-9_-]/g, '_') || 'unnamed';
}

function lengthOf(part: LanguageModelStreamPart): number {
  if (part.type === 'tool-input-delta') return part.delta.length;
  if (part.type === 'text-delta' || part.type === 'reasoning-delta') return part.text.length;
  return partLength;
}

function isCall(part: AssistantPart, id: string): boolean {
  return part.type === 'tool-call' && part.toolCallId === id;
}

function isWorthKeeping(part: { text: string; providerOptions?: ProviderMetadata }): boolean {
  return part.text !== '' || part.providerOptions !== undefined;
}

function invalidInput(error: unknown): string {
  return `The input of this call is not valid: ${messageOf(error)}`;
}
