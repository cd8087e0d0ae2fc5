import type { LastStop } from '../../../features/sessions/run/run-service.ts';

/**
 * Tells the agent why its unfinished turn stopped: the beginning of a sentence; `''` without an unfinished turn. `losses`
 * counts the workers lost since the session last made progress.
 */
export function describeInterruption(last: LastStop | undefined, losses: number): string {
  if (last === undefined) return '';
  const { status, status_detail: detail } = last;
  const at = `${last.at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  if (detail === 'budget_reached') return `The session reached its budget at ${at}`;
  if (status === 'suspended')
    return detail === 'user_request' ? `The user suspended the session at ${at}` : `The session was suspended at ${at}`;
  if (status === 'waiting') return `The user interrupted you at ${at}`;
  if (status === 'failed') return `The session failed at ${at}`;
  return losses > 0 ? 'The platform lost the machine' : 'The platform moved your session to another machine';
}
