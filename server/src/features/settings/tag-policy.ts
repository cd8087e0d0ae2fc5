import { fieldError } from '../../lib/field-error.ts';
import { matchesAny } from '../../lib/patterns.ts';
import type { Setting } from './namespaces.ts';

/**
 * Holds a session's tags to the policy: throws 400 `tag_not_allowed` where that is enforced, else answers the warning that
 * the session's log gets; `''` when all is well.
 */
export function checkTags(policy: Setting<'run_tags'>, tags: readonly string[]): string {
  const problem = tagProblem(policy, tags);
  if (problem === undefined) return '';
  const { allowed, required_any } = policy;
  if (policy.enforce)
    throw fieldError('/tags', `: ${problem}.`, { code: 'tag_not_allowed', details: { allowed, required_any } });
  return `The organization's tag policy: ${problem}.`;
}

/** Why a policy does not take these tags, whether it is enforced or not; undefined when it takes them. */
export function tagProblem(policy: Setting<'run_tags'>, tags: readonly string[]): string | undefined {
  const { allowed, required_any: required } = policy;
  const stranger = allowed.length === 0 ? undefined : tags.find((tag) => !matchesAny(allowed, tag));
  if (stranger !== undefined)
    return `the tag ${JSON.stringify(stranger)} is not allowed; allowed are ${listed(allowed)}`;
  if (required.length === 0 || tags.some((tag) => matchesAny(required, tag))) return undefined;
  return `at least one of these tags is required: ${listed(required)}`;
}

function listed(patterns: readonly string[]): string {
  return patterns.map((pattern) => JSON.stringify(pattern)).join(', ');
}
