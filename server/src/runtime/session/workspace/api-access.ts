import { endSessionKey, issueSessionKey, type SessionKey } from '../../../features/sessions/run/session-key-service.ts';
import type { GatewaySession } from '../../../gateway/session.ts';
import type { Attempt } from '../attempt/attempt.ts';

/** Time before its expiry at which a key is replaced. */
const renewMs = 3_600_000;

/**
 * The session's access to the platform's API. Its key is created on the sandbox's first request and ends with the attempt;
 * only this worker and its gateway know it.
 */
export function apiAccess(attempt: Pick<Attempt, 'ctx' | 'run' | 'resources'>): NonNullable<GatewaySession['api']> {
  const { ctx, run } = attempt;
  let issued: Promise<SessionKey> | undefined;
  attempt.resources.onClose(async () => {
    const key = await issued?.catch(() => undefined);
    if (key !== undefined) await endSessionKey(ctx, key);
  });
  async function current(): Promise<SessionKey> {
    const known = await issued?.catch(() => undefined);
    if (known !== undefined && known.expiresAt.getTime() - ctx.clock.now().getTime() > renewMs) return known;
    issued = issueSessionKey(ctx, run);
    return issued;
  }
  let turn: Promise<SessionKey> | undefined;
  return {
    url: ctx.apiUrl,
    async authorization() {
      // Concurrent requests share one new key.
      turn ??= current().finally(() => {
        turn = undefined;
      });
      return `Bearer ${(await turn).key}`;
    },
  };
}
