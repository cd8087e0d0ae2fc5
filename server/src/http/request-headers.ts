import { Type, type TProperties } from 'typebox';

const idempotencyKey = Type.Optional(
  Type.String({
    pattern: '^[\\x21-\\x7e]{1,255}$',
    'x-form': '1 to 255 visible ASCII characters, without spaces',
    description: 'A repetition with the same key within 24 hours returns the first response again.',
  }),
);

/** One or several entity tags separated by commas, or `*` (RFC 9110, sections 8.8.3 and 13.1.1). */
const tag = String.raw`(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"`;
const tags = String.raw`^(?:\*|(?:[ \t]*,)*[ \t]*${tag}(?:[ \t]*,(?:[ \t]*${tag})?)*[ \t]*)$`;

const ifMatch = Type.Optional(
  Type.String({
    maxLength: 1_000,
    pattern: tags,
    'x-form': 'an ETag in its quotation marks, such as "3", several separated by commas, or *',
    description:
      'The `ETag` of the state to change, with its quotation marks, or `*` for any; 412 `revision_conflict` if another ' +
      'one is current.',
  }),
);

const ifNoneMatch = Type.Optional(
  Type.String({ maxLength: 1_000, description: 'The `ETag` of a state that you have; 304 if it is the current one.' }),
);

/** Returns the schema of the headers that an operation reads: those of its kind, and its own. */
export function requestHeaders(
  { method, scope, headers: own = {} }: { method: string; scope: string; headers?: TProperties },
  { revises, caches }: { revises: boolean; caches: boolean },
) {
  const headers = {
    ...own,
    ...(method === 'POST' && scope !== 'none' ? { 'idempotency-key': idempotencyKey } : {}),
    ...(revises ? { 'if-match': ifMatch } : {}),
    ...(caches ? { 'if-none-match': ifNoneMatch } : {}),
  };
  return Object.keys(headers).length === 0 ? {} : { headers: Type.Object(headers) };
}
