import { fieldError } from '../../lib/field-error.ts';
import { tagProblem, type TagPolicy } from './namespaces/run-tags.ts';

/**
 * Holds a session's tags to the policy: throws 400 `tag_not_allowed` where that is enforced, else answers the warning that
 * the session's log gets; `''` when all is well.
 */
export function checkTags(policy: TagPolicy, tags: readonly string[]): string {
  const problem = tagProblem(policy, tags);
  if (problem === undefined) return '';
  const { allowed, required_any } = policy;
  if (policy.enforce)
    throw fieldError('/tags', `: ${problem}.`, { code: 'tag_not_allowed', details: { allowed, required_any } });
  return `The organization's tag policy: ${problem}.`;
}
