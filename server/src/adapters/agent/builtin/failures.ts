import { truncate, oneLine } from './bounds.ts';
import { isRecord } from '../../../lib/record.ts';

/** The reason why a model step failed. */
export interface StepFailure {
  /**
   * `retry`: the same call may succeed. `context`: the conversation is too long. `gateway`: the gateway refused the call,
   * and the worker ends the turn. `fatal`: it will not succeed.
   */
  kind: 'retry' | 'context' | 'gateway' | 'fatal';
  /** The model's behaviour, e.g. `answered 429 (rate limited)`. */
  behaviour: string;
  /** The provider's message: one bounded paragraph without secrets, or `''`. */
  providerMessage: string;
  /** The wait in milliseconds that the provider requests. */
  afterMs?: number;
}

const maxSaidLength = 500;
const maxRetryAfterMs = 60_000;
/** The header by which the gateway tells its own refusals from a provider's. */
const refusedHeader = 'x-guildhall-refused';
const statusHeader = 'x-guildhall-provider-status';

const statusWords: Record<number, string> = {
  400: 'invalid request',
  401: 'not authorized',
  402: 'payment required',
  403: 'forbidden',
  404: 'not found',
  408: 'timeout',
  409: 'conflict',
  413: 'request too large',
  422: 'invalid request',
  429: 'rate limited',
  500: 'internal error',
  502: 'bad gateway',
  503: 'unavailable',
  504: 'gateway timeout',
  529: 'overloaded',
};

/** The providers' messages for a conversation that is too long: Anthropic, OpenAI, Google, vLLM, llama.cpp, Ollama. */
const tooLong =
  /prompt is too long|context[ _-]?(?:length|window|size)|maximum context|too many (?:input )?tokens|token count.{0,40}exceeds|exceeds? the .{0,40}(?:context|token)|input is too long/i;

/** Error types of temporary failures that providers send inside a stream. */
const passing = /overloaded|rate_limit|server_error|api_error|timeout|unavailable|internal/i;

/** The SDK's names of errors for unreadable responses. */
const unreadable = /JSONParse|TypeValidation|InvalidResponse|EmptyResponse/;

/** Node.js's messages for a response body that ended early. */
const broken = /terminated|other side closed|premature|aborted/i;

/** Classifies the error of a model call or its stream. */
export function classifyFailure(error: unknown, secrets: readonly string[]): StepFailure {
  const read = readError(error);
  const { status, headers, message } = read;
  const providerMessage = cleanMessage(message, secrets);
  if ((status === 402 || status === 409) && headers[refusedHeader] !== undefined) {
    return { kind: 'gateway', behaviour: `was refused by the gateway (${headers[refusedHeader]})`, providerMessage };
  }
  if (status === undefined || status < 400) return unanswered(read, providerMessage);
  // The provider's status, if the gateway replaced it.
  const answered = headers[statusHeader] ?? String(status);
  const words = statusWords[Number(answered)];
  const behaviour = `answered ${answered}${words === undefined ? '' : ` (${words})`}`;
  if (status === 413 || ((status === 400 || status === 422) && tooLong.test(message))) {
    return { kind: 'context', behaviour, providerMessage };
  }
  const passes = [408, 409, 425, 429].includes(status) || status >= 500;
  // With x-should-retry, Anthropic, OpenAI and the gateway override the rule by status.
  if (passes && headers['x-should-retry'] !== 'false') {
    const afterMs = retryAfterMs(headers);
    return { kind: 'retry', behaviour, providerMessage, ...(afterMs === undefined ? {} : { afterMs }) };
  }
  return { kind: 'fatal', behaviour, providerMessage };
}

/** Classifies a failure without an HTTP status: of the connection, or inside the stream. */
function unanswered({ name, type, message, isRetryable }: ReadError, providerMessage: string): StepFailure {
  if (tooLong.test(`${type} ${message}`))
    return { kind: 'context', behaviour: `failed (${type || 'too long'})`, providerMessage };
  if (type !== '') {
    const passes = isRetryable === true || passing.test(`${type} ${message}`);
    return { kind: passes ? 'retry' : 'fatal', behaviour: `failed during its answer (${type})`, providerMessage };
  }
  // The SDK's message is omitted: it mostly repeats the answer.
  if (unreadable.test(name)) return plainFailure('gave an unreadable answer');
  if (broken.test(message)) return plainFailure('ended its answer early');
  return { kind: 'retry', behaviour: 'could not be reached', providerMessage };
}

export function plainFailure(behaviour: string): StepFailure {
  return { kind: 'retry', behaviour, providerMessage: '' };
}

/** Formats the failure as a sentence for the session's owner. */
export function formatFailure(model: string, { behaviour, providerMessage }: StepFailure): string {
  return providerMessage === ''
    ? `The model ${model} ${behaviour}.`
    : `The model ${model} ${behaviour}: ${providerMessage}`;
}

interface ReadError {
  name: string;
  status: number | undefined;
  headers: Record<string, string>;
  type: string;
  message: string;
  isRetryable: boolean | undefined;
}

function readError(error: unknown): ReadError {
  if (!isRecord(error)) {
    return { name: '', status: undefined, headers: {}, type: '', message: String(error), isRetryable: undefined };
  }
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(isRecord(error.responseHeaders) ? error.responseHeaders : {})) {
    if (typeof value === 'string') headers[name.toLowerCase()] = value;
  }
  const type = [error.type, error.code].find((value) => typeof value === 'string' && value !== '');
  const isSystem = error.cause !== undefined || error instanceof TypeError;
  return {
    name: typeof error.name === 'string' ? error.name : '',
    status: typeof error.statusCode === 'number' ? error.statusCode : undefined,
    headers,
    // A system error's code, e.g. ECONNRESET, is not the provider's error type.
    type: typeof type === 'string' && !isSystem ? type : '',
    message: messageWithin(error),
    isRetryable: typeof error.isRetryable === 'boolean' ? error.isRetryable : undefined,
  };
}

/** Returns the provider's message, also where the SDK did not extract it. */
function messageWithin(error: Record<string, unknown>): string {
  const message = typeof error.message === 'string' ? error.message : '';
  const cause = isRecord(error.cause) && typeof error.cause.message === 'string' ? error.cause.message : '';
  if (message !== '' && cause !== '' && !message.includes(cause)) return `${message} (${cause})`;
  return message;
}

function cleanMessage(message: string, secrets: readonly string[]): string {
  let text = message;
  for (const secret of secrets) text = text.replaceAll(secret, '[redacted]');
  text = text
    .replaceAll(/\b(Bearer|Basic)\s+[\w.~+/=-]{8,}/gi, '$1 [redacted]')
    .replaceAll(/\b(?:sk|pk|rk|key|xai|gsk|hf|AIza|gh[a-z]_|ghs)[-_]?[\w*-]{12,}/g, '[redacted]')
    .replaceAll(/\b[a-z]+:\/\/[^\s"'<>]*[^\s"'<>.,;:]/gi, '[address]');
  return truncate(oneLine(text), maxSaidLength);
}

/** The provider's wait in milliseconds, at most a minute. */
function retryAfterMs(headers: Record<string, string>): number | undefined {
  const milliseconds = Number(headers['retry-after-ms'] ?? Number.NaN);
  if (milliseconds >= 0) return Math.min(milliseconds, maxRetryAfterMs);
  const value = headers['retry-after'];
  if (value === undefined) return undefined;
  const ms = /^\d+(?:\.\d+)?$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), maxRetryAfterMs) : undefined;
}
