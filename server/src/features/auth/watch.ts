import type { AuthenticatedCaller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { createSharedRead } from '../../lib/shared-reads.ts';
import type { Watch } from '../../lib/watch.ts';
import { keyEnd } from '../keys/service.ts';
import { signInEnd } from './sign-in-service.ts';

/** Maximum delay of a timer. */
const longestTimerMs = 2_147_483_647;

const shareSignIn = createSharedRead<Awaited<ReturnType<typeof signInEnd>>>();
const shareKey = createSharedRead<Awaited<ReturnType<typeof keyEnd>>>();

/**
 * Calls `ended` once when the caller's key is revoked or expires, or when the sign-in ends or no longer counts here, for streams
 * that outlive their authentication. Also calls it if the state cannot be checked: the client then reconnects with its key.
 */
export function watchKey(
  ctx: Pick<Context, 'db' | 'clock' | 'notifications' | 'log'>,
  caller: Pick<AuthenticatedCaller, 'organization' | 'credential'>,
  ended: () => void,
): Watch {
  const { organization, credential } = caller;
  let timer: NodeJS.Timeout | undefined;
  let isLeft = false;
  function endAt(end: Date | null): void {
    clearTimeout(timer);
    if (end === null || isLeft) return;
    const leftMs = end.getTime() - ctx.clock.now().getTime();
    if (leftMs <= 0) return ended();
    timer = setTimeout(() => endAt(end), Math.min(leftMs, longestTimerMs)).unref();
  }
  async function look(): Promise<void> {
    const id = `${organization.id} ${credential.id}`;
    if (credential.kind === 'sign_in') {
      const end = await shareSignIn(ctx.db, id, () => signInEnd(ctx.db.kysely, organization.id, credential.id));
      return end === undefined ? ended() : endAt(end);
    }
    const key = await shareKey(ctx.db, id, () => keyEnd(ctx.db.kysely, organization.id, credential.id));
    if (key === undefined || key.revoked_at !== null) ended();
    else endAt(key.expires_at);
  }
  let looked = Promise.resolve();
  const wake = (): void => {
    looked = looked.then(look).catch((error: unknown) => {
      ctx.log.warn({ err: error }, 'cannot check a key');
      ended();
    });
  };
  const unsubscribe = ctx.notifications.subscribe('guildhall_keys', credential.id, wake);
  // It may have ended after it admitted the request.
  wake();
  return {
    leave() {
      isLeft = true;
      unsubscribe();
      clearTimeout(timer);
    },
    settled: () => looked,
  };
}
