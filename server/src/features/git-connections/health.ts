import { CredentialRejected, type HostConnection } from '../../adapters/source-control/connection.ts';
import type { Context } from '../../app/context.ts';
import { ProviderError } from '../../lib/errors.ts';
import type { Provider } from '../../lib/providers.ts';

export type HealthContext = Pick<Context, 'clock' | 'hostParts' | 'sourceControl'>;

/** The columns that say if a connection works. */
export type Health = Working | Failing;

interface Failing {
  readonly state: 'revoked' | 'error';
  readonly problem: string;
}

export interface Working {
  readonly state: 'connected' | 'degraded';
  readonly problem: string;
  readonly account: string;
  readonly missing_permissions: string[];
  readonly last_verified_at: Date;
}

/** Asks the host what a credential may do. */
export async function healthOf(
  ctx: HealthContext,
  provider: Provider,
  candidate: Omit<HostConnection, 'connectionId'>,
): Promise<Health> {
  try {
    const { account, missingPermissions } = await ctx.hostParts.connections.trying(candidate, (ref) =>
      ctx.sourceControl.of(provider).verify(ref),
    );
    return {
      state: missingPermissions.length === 0 ? 'connected' : 'degraded',
      problem: missingPermissions.length === 0 ? '' : missingProblem(missingPermissions),
      account,
      missing_permissions: [...missingPermissions],
      last_verified_at: ctx.clock.now(),
    };
  } catch (error) {
    if (error instanceof CredentialRejected) return { state: 'revoked', problem: error.message };
    if (error instanceof ProviderError) return { state: 'error', problem: error.message };
    throw error;
  }
}

function missingProblem(missing: readonly string[]): string {
  const what = missing.length === 1 ? 'the permission' : 'the permissions';
  return `The credential lacks ${what} ${missing.join(', ')}. Grant them at the host, then verify the connection.`;
}
