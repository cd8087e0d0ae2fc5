import { LongJson, UnusableJson } from '../../lib/long-json.ts';
import type { Mask } from '../../lib/mask/mask.ts';
import { pace } from '../../lib/pace.ts';
import { isRecord } from '../../lib/record.ts';
import type { ModelPath } from './path.ts';
import { reachOf } from './reach.ts';

/** The request cannot be passed on; the message is for its sender. */
export class UnusableModelRequest extends Error {}

/** A parsed request body. */
export interface ModelRequest {
  readonly name: string;
  readonly stream: boolean;
  readonly inputTokens: number;
  readonly maxOutputTokens: number | undefined;
  /** Returns what the provider would access beyond itself, if anything. */
  reach(): string | undefined;
  /** Returns the body with the output limit lowered to this; a chat completions stream is told to report its usage. */
  limitedTo(maxOutputTokens: number): Promise<Buffer[]>;
}

/** The tokens of an image, counted as for the largest; its size in bytes does not tell. */
const imageTokens = 1_600;

/** Fields whose strings are protocol keywords. */
const structural = new Set(['model', 'role', 'type']);

/** Exceeds real conversations, but is still parsed within milliseconds. */
const bodyLimits = { values: 50_000, depth: 500 };

/** Parses the JSON of a request and masks its texts. Rejects with {@link UnusableModelRequest}. */
export async function readModelRequest(path: ModelPath, bytes: Buffer, mask?: Mask): Promise<ModelRequest> {
  const { json, body, write } = await readBody(bytes, mask);
  if (mask !== undefined) await maskTexts(json, body, mask);
  const name = path.inPath?.name ?? body['model'];
  if (typeof name !== 'string' || !/^[\x21-\x7e]{1,200}$/.test(name))
    throw new UnusableModelRequest('The request names no model. Set "model".');
  assertMetered(body);
  await pace();
  const images = imagesIn(json, body);
  const stream = path.inPath?.stream ?? body['stream'] === true;
  return {
    name,
    stream,
    inputTokens: Math.ceil((bytes.length - images.bytes) / 3) + images.count * imageTokens,
    maxOutputTokens: readLimit(path, body),
    reach: () => reachOf(path.format, body),
    async limitedTo(maxOutputTokens) {
      lowerLimit(path, body, maxOutputTokens);
      if (path.format === 'chat' && stream) {
        const options = body['stream_options'];
        body['stream_options'] = { ...(isRecord(options) ? options : {}), include_usage: true };
      }
      // Serialized again even if unchanged: of a duplicate key, two parsers may read different values.
      return write();
    },
  };
}

async function readBody(bytes: Buffer, mask: Mask | undefined) {
  try {
    const json = await LongJson.read(bytes, bodyLimits);
    const body = json.value;
    if (isRecord(body)) return { json, body, write: await json.filtered(() => mask?.stream()) };
  } catch (error) {
    if (!(error instanceof UnusableJson)) throw error;
    throw new UnusableModelRequest(`The body ${error.message}.`);
  }
  throw new UnusableModelRequest('The body must be a JSON object.');
}

/** Masks short strings in place. Iterative, as the sender controls the nesting. */
async function maskTexts(json: LongJson, body: Record<string, unknown>, mask: Mask): Promise<void> {
  const pending: object[] = [body];
  for (let holder = pending.pop(); holder !== undefined; holder = pending.pop()) {
    for (const [key, part] of Object.entries(holder)) {
      if (typeof part === 'object' && part !== null) pending.push(part);
      if (typeof part !== 'string' || structural.has(key) || json.isStandIn(part)) continue;
      await pace();
      const masked = mask.text(part);
      // An assignment to `__proto__` would not add the key.
      if (masked !== part)
        Object.defineProperty(holder, key, { value: masked, writable: true, enumerable: true, configurable: true });
    }
  }
}

/** Rejects responses in the background and multiple choices: they could not be metered against one limit. */
function assertMetered(body: Record<string, unknown>): void {
  if (body['background'] === true)
    throw new UnusableModelRequest('Background responses are not supported. Remove "background".');
  const settings = settingsOf(body);
  for (const choices of [body['n'], settings['candidateCount'], settings['candidate_count']])
    if (typeof choices === 'number' && choices > 1)
      throw new UnusableModelRequest('Only one choice per call is supported. Set the number of choices to 1.');
}

const settingsNames = ['generationConfig', 'generation_config'];

function settingsOf(body: Record<string, unknown>): Record<string, unknown> {
  const [settings, ...more] = settingsNames.map((name) => body[name]).filter(isRecord);
  if (more.length > 0) throw new UnusableModelRequest('The body has "generationConfig" twice. Send it once.');
  return settings ?? {};
}

function readLimit(path: ModelPath, body: Record<string, unknown>): number | undefined {
  const holder = path.format === 'contents' ? settingsOf(body) : body;
  const limits: number[] = [];
  for (const name of path.limits) {
    const limit = holder[name];
    if (limit === undefined || limit === null) continue;
    if (typeof limit !== 'number' || limit < 0) throw new UnusableModelRequest(`${name} must be a number.`);
    limits.push(limit);
  }
  return limits.length === 0 ? undefined : Math.max(...limits);
}

function lowerLimit({ format, limits }: ModelPath, body: Record<string, unknown>, limit: number): void {
  if (!Number.isFinite(limit)) return;
  if (format === 'contents' && !settingsNames.some((name) => isRecord(body[name]))) body['generationConfig'] = {};
  const holder = format === 'contents' ? settingsOf(body) : body;
  const given = limits.filter((name) => typeof holder[name] === 'number');
  for (const name of given.length > 0 ? given : limits.slice(0, 1)) {
    const wanted = holder[name];
    holder[name] = Math.min(typeof wanted === 'number' ? wanted : Infinity, Math.floor(limit));
  }
  if (format === 'messages') lowerThinking(body, Math.floor(limit));
}

/** Lowers Anthropic's thinking budget, which must be below `max_tokens` and at least 1,024. */
function lowerThinking(body: Record<string, unknown>, limit: number): void {
  const thinking = body['thinking'];
  if (!isRecord(thinking) || typeof thinking['budget_tokens'] !== 'number' || thinking['budget_tokens'] < limit) return;
  body['thinking'] = limit > 1_024 ? { ...thinking, budget_tokens: limit - 1 } : { type: 'disabled' };
}

/** Counts the images in all formats, and the bytes of their base64. Iterative, as the sender controls the nesting. */
function imagesIn(json: LongJson, body: Record<string, unknown>): { count: number; bytes: number } {
  const found = { count: 0, bytes: 0 };
  const pending: object[] = [body];
  for (let holder = pending.pop(); holder !== undefined; holder = pending.pop()) {
    for (const [key, value] of Object.entries(holder)) {
      if (typeof value === 'object' && value !== null) pending.push(value);
      else if (typeof value === 'string' && isImage(holder, key, value)) {
        found.count += 1;
        found.bytes += json.lengthOf(value);
      }
    }
  }
  return found;
}

/** Matches a data URL, or the `data` beside an image's media type. */
function isImage(holder: object, key: string, value: string): boolean {
  if (value.startsWith('data:image/')) return true;
  if (key !== 'data' || !isRecord(holder)) return false;
  const type = holder['media_type'] ?? holder['mimeType'] ?? holder['mime_type'];
  return typeof type === 'string' && type.startsWith('image/');
}
