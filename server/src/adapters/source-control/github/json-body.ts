import { excessOf } from '../../../lib/json-limits.ts';
import { ResponseTooLarge } from './failures.ts';

/** A page of 100 pull requests is below 1 MiB, unless their texts are long. */
const maxBytes = 8 * 1_024 * 1_024;
const limits = { values: 200_000, depth: 40 };

/** Parses a response's body; undefined if it is not JSON. Throws a permanent error if it is larger than what this process parses. */
export async function jsonBody(response: Response, name: string): Promise<unknown> {
  const bytes = Buffer.from(await response.arrayBuffer());
  if (bytes.length === 0) return undefined;
  const excess = bytes.length > maxBytes ? `has more than ${maxBytes} bytes` : excessOf(bytes, limits);
  if (excess !== undefined) throw new ResponseTooLarge(`The response of ${name} ${excess}.`, response.status);
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return value;
  } catch {
    return undefined;
  }
}
