import { endSessionKey, issueSessionKey, type SessionKey } from '../../../features/sessions/run/session-key-service.ts';
import type { GatewaySession } from '../../../gateway/session.ts';
import type { Attempt } from '../attempt/attempt.ts';

/** A key is replaced this long before it runs out. */
const renewMs = 3_600_000;

/**
 * The session's way to the platform's own API. Its key is made when something in the sandbox first asks, and ends with the
 * attempt; only this worker and its gateway know it.
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
      // Of many that ask at once, one has the key made.
      turn ??= current().finally(() => {
        turn = undefined;
      });
      return `Bearer ${(await turn).key}`;
    },
  };
}
