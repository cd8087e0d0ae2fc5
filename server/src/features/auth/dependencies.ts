import type { Context } from '../../app/context.ts';
import type { AuthenticatedCaller } from '../../caller.ts';
import type { ErrorCode } from '../../lib/errors.ts';
import type { FollowGroups } from './sso-service.ts';

/** Parts of other features, which themselves depend on this one. */
export interface SignInDependencies {
  followGroups: FollowGroups;
  /** Creates the recorder of refused keys. */
  recordRefusals: (ctx: Pick<Context, 'db' | 'clock' | 'log'>) => {
    note(caller: AuthenticatedCaller, refusal: { outcome: 'denied'; code: ErrorCode }): void;
    close(): Promise<void>;
  };
}
