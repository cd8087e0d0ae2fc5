import { Type, type Static, type TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { ProviderError } from '../../lib/errors.ts';
import { LongJson, UnusableJson } from '../../lib/long-json.ts';
import type { WebhookDelivery } from './port.ts';

const limits = { values: 500_000, depth: 50 };

/** A full name of a ref. */
export const Ref = Type.String({ pattern: '^refs/(?:heads|tags)/[^\\x00-\\x20]{1,240}$' });
/** A commit id. */
export const Sha = Type.String({ pattern: '^[0-9a-f]{40}(?:[0-9a-f]{24})?$' });
/** A repository's `owner/name`. */
export const RepoName = Type.String({ pattern: '^[^\\x00-\\x20]{1,200}$' });
export const PositiveInteger = Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 });

/** Parses a delivery without its long texts, which nothing reads from here. Throws a permanent ProviderError. */
export async function readPayload({ body }: WebhookDelivery): Promise<unknown> {
  try {
    const copy = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    return (await LongJson.read(copy, limits)).value;
  } catch (error) {
    if (!(error instanceof UnusableJson)) throw error;
    throw new ProviderError(`The delivery cannot be read: its body ${error.message}.`, { retryable: false });
  }
}

/** Returns the fields of a payload. Throws a permanent ProviderError if they are others. */
export function fieldsOf<T extends TSchema>(schema: T, payload: unknown, event: string): Static<T> {
  if (Value.Check(schema, payload)) return payload;
  const [problem] = Value.Errors(schema, payload);
  const where = problem === undefined ? '' : ` at ${problem.instancePath || '/'}`;
  throw new ProviderError(`The delivery of "${event}" has an unknown form${where}.`, { retryable: false });
}

/** Returns a delivery's id from the first of these headers that has one; `''` for none. */
export function idIn({ headers }: Pick<WebhookDelivery, 'headers'>, names: readonly string[]): string {
  const ids = names.map((name) => headers[name] ?? '');
  return ids.find((id) => /^[\x21-\x7e]{1,200}$/.test(id)) ?? '';
}
