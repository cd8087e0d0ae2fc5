import type { Session } from '../../../lib/api.ts';
import { useCan } from '../../shell/useCan.ts';

/** Returns true if the session has a sandbox now, and the person may open a shell in it and look at its servers. */
export function useCanUseSandbox(org: string, { sandbox_state: state }: Session): boolean {
  return useCan(org, 'run') && state === 'ready';
}
