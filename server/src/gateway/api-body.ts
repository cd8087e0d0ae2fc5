import type { IncomingMessage } from 'node:http';
import { excessOf, maxJsonDepth, maxJsonValues } from '../lib/json-limits.ts';
import type { Mask } from '../lib/mask/mask.ts';
import { isRecord } from '../lib/record.ts';
import { memoryFull, type Allocation } from './message-memory.ts';

/** The API takes no larger body of a session. */
const maxBytes = 1_048_576;

/** A body that is not forwarded. */
export class BodyRefused extends Error {
  readonly status: 413 | 429;

  constructor(status: 413 | 429, message: string) {
    super(message);
    this.status = status;
  }
}

/** Reads a body. Throws {@link BodyRefused}. */
export async function readApiBody(request: IncomingMessage, held: Allocation): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  let problem: BodyRefused | undefined;
  // Reads the rest of a refused body too: otherwise the connection would be reset before the client has the response.
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk) || problem !== undefined) continue;
    size += chunk.length;
    chunks.push(chunk);
    if (size > maxBytes) problem = new BodyRefused(413, `The body exceeds ${maxBytes} bytes. Send a smaller one.`);
    else if (!held.add(chunk)) problem = new BodyRefused(429, memoryFull);
    if (problem !== undefined) chunks.length = 0;
  }
  if (problem !== undefined) throw problem;
  return Buffer.concat(chunks);
}

/**
 * Masks every text of a JSON body, because others may read what a program in the sandbox writes into a child session: its prompt,
 * for example. Keeps `session_secrets`, which nobody reads. What is not JSON stays as it is: the API rejects it.
 */
export async function maskedApiBody(body: Buffer, mask: Mask): Promise<Buffer> {
  if (excessOf(body, { values: maxJsonValues, depth: maxJsonDepth }) !== undefined) return body;
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    return body;
  }
  const { session_secrets: secrets, ...rest } = isRecord(value) ? value : { value };
  const masked = Object(await maskedValue(rest, mask));
  const whole = isRecord(value)
    ? { ...masked, ...(secrets === undefined ? {} : { session_secrets: secrets }) }
    : masked.value;
  return Buffer.from(JSON.stringify(whole));
}

async function maskedValue(value: unknown, mask: Mask): Promise<unknown> {
  if (typeof value === 'string') return mask.longText(value);
  if (Array.isArray(value)) {
    const parts: unknown[] = [];
    for (const part of value) parts.push(await maskedValue(part, mask));
    return parts;
  }
  if (!isRecord(value)) return value;
  const fields: [string, unknown][] = [];
  for (const [name, part] of Object.entries(value)) {
    const isOurs = /^[a-z_]+$/.test(name);
    fields.push([isOurs ? name : await mask.longText(name), await maskedValue(part, mask)]);
  }
  return Object.fromEntries(fields);
}
