import { fieldError } from '../../lib/field-error.ts';
import { tagProblem, type TagPolicy } from './namespaces/run-tags.ts';

/**
 * Checks a session's tags: throws 400 `tag_not_allowed` if the policy is enforced; otherwise returns a warning for the
 * session's log, `''` for none.
 */
export function checkTags(policy: TagPolicy, tags: readonly string[]): string {
  const problem = tagProblem(policy, tags);
  if (problem === undefined) return '';
  const { allowed, required_any } = policy;
  if (policy.enforce)
    throw fieldError('/tags', `: ${problem}.`, { code: 'tag_not_allowed', details: { allowed, required_any } });
  return `The organization's tag policy: ${problem}.`;
}
