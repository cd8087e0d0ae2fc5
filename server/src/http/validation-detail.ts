import type { FastifyRequest } from 'fastify';
import { stepsOf } from '../lib/json-pointer.ts';
import { valueAt, type Issue } from './issues.ts';

/** Pydantic's names of problems, as clients of the unversioned operations know them. */
const types: Record<string, string> = {
  json: 'json_invalid',
  required: 'missing',
  enum: 'enum',
  maxLength: 'string_too_long',
  minLength: 'string_too_short',
  minimum: 'greater_than_equal',
  maximum: 'less_than_equal',
  exclusiveMinimum: 'greater_than',
  exclusiveMaximum: 'less_than',
  pattern: 'string_pattern_mismatch',
  minProperties: 'too_short',
  maxProperties: 'too_long',
  minItems: 'too_short',
  maxItems: 'too_long',
  uniqueItems: 'items_not_unique',
  additionalProperties: 'extra_forbidden',
  characters: 'string_unicode',
};

const typeNames: Record<string, string> = { integer: 'int', number: 'float', boolean: 'bool', array: 'list' };

/** Returns one entry of `{detail: […]}`, the issues in a response of an unversioned operation. */
export function detailOf(issue: Issue, request: FastifyRequest): Record<string, unknown> {
  const { in: place, message, keyword = 'value', params = {} } = issue;
  const steps = stepsOf(issue.path);
  const sources = { query: request.query, path: request.params, header: request.headers, body: request.body };
  const source = sources[place];
  const sent = valueAt(source, keyword === 'required' ? steps.slice(0, -1) : steps);
  return {
    loc: [place, ...steps],
    msg: message,
    type: codeOfIssue(issue),
    input: issue.input ?? sent,
    ctx: ctxOf(keyword, params),
  };
}

/** Returns what is wrong, for programs: the same name in both envelopes. */
export function codeOfIssue({ keyword = 'value', params = {} }: Pick<Issue, 'keyword' | 'params'>): string {
  if (keyword !== 'type') return types[keyword] ?? 'value_error';
  const expected = params['type'];
  return typeof expected === 'string' ? `${typeNames[expected] ?? expected}_type` : 'value_error';
}

const limits: Record<string, string> = {
  minLength: 'min_length',
  minItems: 'min_length',
  minProperties: 'min_length',
  maxLength: 'max_length',
  maxItems: 'max_length',
  maxProperties: 'max_length',
  minimum: 'ge',
  maximum: 'le',
  exclusiveMinimum: 'gt',
  exclusiveMaximum: 'lt',
};

function ctxOf(keyword: string, params: Record<string, unknown>): Record<string, unknown> {
  const limit = limits[keyword];
  if (limit !== undefined) return { [limit]: params['limit'] };
  if (keyword === 'pattern') return { pattern: params['pattern'] };
  const { allowedValues, allowed, providers } = params;
  if (Array.isArray(allowedValues)) return { expected: alternatives(allowedValues) };
  // A problem that a service found has its own details.
  return Object.fromEntries(Object.entries({ allowed, providers }).filter(([, value]) => value !== undefined));
}

/** `'a', 'b' or 'c'`, as pydantic writes it. */
function alternatives(values: readonly unknown[]): string {
  const quoted = values.map((value) => `'${String(value)}'`);
  const last = quoted.at(-1) ?? '';
  return quoted.length < 2 ? last : `${quoted.slice(0, -1).join(', ')} or ${last}`;
}
