import { Type, type Static } from 'typebox';
import { Text } from '../../../http/schema.ts';
import { matchesAny } from '../../../lib/patterns.ts';
import { defineNamespace } from './define.ts';
import { Flag, Texts, titled, Value } from './fields.ts';

const value = Value({
  allowed: titled(
    'Allowed tags',
    Texts(200, 100, 'The tags a session may have; `*` in a tag matches any characters. [] allows every tag.'),
  ),
  required_any: titled(
    'Required: one of',
    Texts(200, 100, 'A session needs at least one of these, written like the allowed ones. [] requires none.'),
  ),
  default: titled(
    'Default tags',
    Type.Array(Text(100, { minLength: 1 }), {
      maxItems: 50,
      uniqueItems: true,
      default: [],
      description: 'The tags of a session that is created without tags.',
    }),
  ),
  enforce: titled(
    'Refuse other tags',
    Flag(true, 'true: a session with other tags is refused (400 `tag_not_allowed`). false: it gets a `warning` event.'),
  ),
});

export type TagPolicy = Static<typeof value>;

export const runTags = defineNamespace({
  title: 'Tags',
  value,
  enforced: true,
  example: { allowed: ['bug', 'checkout', 'team-*'], default: ['bug'] },
  problems(policy) {
    const problem = policy.default.length === 0 ? undefined : tagProblem(policy, policy.default);
    return [
      ...(['allowed', 'required_any', 'default'] as const).flatMap((list) => problemsOfCommas(list, policy[list])),
      ...(mayBeMet(policy) ? [] : [{ path: '/required_any', message: 'must contain a tag that is allowed' }]),
      ...(problem === undefined ? [] : [{ path: '/default', message: `violates its own policy: ${problem}` }]),
    ];
  },
});

/** Not in the schema, because stored values may have commas. */
function problemsOfCommas(list: string, tags: readonly string[]) {
  return tags.flatMap((tag, index) =>
    tag.includes(',')
      ? [{ path: `/${list}/${index}`, message: 'must not contain a comma, which no tag can have' }]
      : [],
  );
}

/** Returns false if no tag is both allowed and required, so that the policy refuses every session. */
function mayBeMet({ allowed, required_any: required }: TagPolicy): boolean {
  if (allowed.length === 0 || required.length === 0) return true;
  // Two patterns with `*` may have a tag in common.
  const meet = (one: string, other: string) =>
    matchesAny([one], other) || matchesAny([other], one) || (one.includes('*') && other.includes('*'));
  return required.some((tag) => allowed.some((other) => meet(tag, other)));
}

/** Returns the rule of the policy that these tags break, whether or not it is enforced; undefined if they break none. */
export function tagProblem(policy: TagPolicy, tags: readonly string[]): string | undefined {
  const { allowed, required_any: required } = policy;
  const other = allowed.length === 0 ? undefined : tags.find((tag) => !matchesAny(allowed, tag));
  if (other !== undefined) return `the tag ${JSON.stringify(other)} is not allowed; allowed are ${listed(allowed)}`;
  if (required.length === 0 || tags.some((tag) => matchesAny(required, tag))) return undefined;
  return `at least one of these tags is required: ${listed(required)}`;
}

function listed(patterns: readonly string[]): string {
  return patterns.map((pattern) => JSON.stringify(pattern)).join(', ');
}
