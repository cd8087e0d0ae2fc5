import { LongJson, UnusableJson } from '../../lib/long-json.ts';
import type { Mask } from '../../lib/mask/mask.ts';
import { pace } from '../../lib/pace.ts';
import { isRecord } from '../json.ts';
import type { ModelPath } from './path.ts';
import { reachOf } from './reach.ts';

/** The request cannot be passed on; the message is for who sent it. */
export class UnusableModelRequest extends Error {}

/** A request's body, read. */
export interface ModelRequest {
  readonly name: string;
  readonly stream: boolean;
  readonly inputTokens: number;
  readonly maxOutputTokens: number | undefined;
  /** What the provider is asked to reach beyond itself, if anything. */
  reach(): string | undefined;
  /** The body with at most this much output; a stream of chat completions is told to report its usage. */
  limitedTo(maxOutputTokens: number): Promise<Buffer[]>;
}

/** Tokens of an image; its bytes say nothing about them. What the largest is counted as. */
const imageTokens = 1_600;

/** Fields whose texts are the provider's own words. */
const structural = new Set(['model', 'role', 'type']);

/** Far more than conversations have, and little enough that it is parsed in a moment. */
const bodyLimits = { values: 50_000, depth: 500 };

/** Reads the JSON of a request, whose texts go on masked. Rejects with {@link UnusableModelRequest}. */
export async function readModelRequest(path: ModelPath, bytes: Buffer, mask?: Mask): Promise<ModelRequest> {
  const { json, body, write } = await readBody(bytes, mask);
  if (mask !== undefined) await maskTexts(json, body, mask);
  const name = path.inPath?.name ?? body['model'];
  if (typeof name !== 'string' || !/^[\x21-\x7e]{1,200}$/.test(name))
    throw new UnusableModelRequest('The request names no model.');
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
      // Written anew even if nothing changed: of a key that stands there twice, two readers may take another one each.
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

/** The short ones, in place; iterative, as the sender chooses how deep it goes. */
async function maskTexts(json: LongJson, body: Record<string, unknown>, mask: Mask): Promise<void> {
  const pending: object[] = [body];
  for (let holder = pending.pop(); holder !== undefined; holder = pending.pop()) {
    for (const [key, part] of Object.entries(holder)) {
      if (typeof part === 'object' && part !== null) pending.push(part);
      if (typeof part !== 'string' || structural.has(key) || json.isStandIn(part)) continue;
      await pace();
      const masked = mask.text(part);
      // An assignment to `__proto__` would leave it as it is.
      if (masked !== part)
        Object.defineProperty(holder, key, { value: masked, writable: true, enumerable: true, configurable: true });
    }
  }
}

/** What would be answered later, or several times for one limit, could not be metered against it. */
function assertMetered(body: Record<string, unknown>): void {
  if (body['background'] === true) throw new UnusableModelRequest('Responses in the background are not served.');
  const settings = settingsOf(body);
  for (const choices of [body['n'], settings['candidateCount'], settings['candidate_count']])
    if (typeof choices === 'number' && choices > 1)
      throw new UnusableModelRequest('More than one answer to a call is not served.');
}

const settingsNames = ['generationConfig', 'generation_config'];

function settingsOf(body: Record<string, unknown>): Record<string, unknown> {
  const [settings, ...more] = settingsNames.map((name) => body[name]).filter(isRecord);
  if (more.length > 0) throw new UnusableModelRequest('The body has its generationConfig twice.');
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

/** Anthropic refuses a thinking budget that does not stay below `max_tokens`, or is below 1,024. */
function lowerThinking(body: Record<string, unknown>, limit: number): void {
  const thinking = body['thinking'];
  if (!isRecord(thinking) || typeof thinking['budget_tokens'] !== 'number' || thinking['budget_tokens'] < limit) return;
  body['thinking'] = limit > 1_024 ? { ...thinking, budget_tokens: limit - 1 } : { type: 'disabled' };
}

/** The base64 of all images, in any of the formats. Iterative, as the sender chooses how deep it goes. */
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

/** A data URL, or the `data` beside an image's media type. */
function isImage(holder: object, key: string, value: string): boolean {
  if (value.startsWith('data:image/')) return true;
  if (key !== 'data' || !isRecord(holder)) return false;
  const type = holder['media_type'] ?? holder['mimeType'] ?? holder['mime_type'];
  return typeof type === 'string' && type.startsWith('image/');
}
