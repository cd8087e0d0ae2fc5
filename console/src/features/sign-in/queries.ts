import { queryOptions } from '@tanstack/react-query';
import { api, ApiError, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';

/** How one can sign in, and if this browser is. */
export const entranceQuery = queryOptions({
  queryKey: keys.entrance(),
  queryFn: async ({ signal }) => {
    const [methods, isSignedIn] = await Promise.all([
      unwrap(api.GET('/v3/auth/methods', { signal })),
      readSignedIn(signal),
    ]);
    return { methods, isSignedIn };
  },
  staleTime: 0,
  // The first password takes two requests: between them, the page stays what it is.
  refetchOnWindowFocus: false,
});

async function readSignedIn(signal: AbortSignal): Promise<boolean> {
  try {
    await unwrap(api.GET('/v3/organizations', { params: { query: { first: 1 } }, signal }));
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return false;
    throw error;
  }
}

/** Who is invited to what; null for a link that cannot be used. */
export function invitationQuery(token: string) {
  return queryOptions({
    queryKey: keys.invitation(token),
    queryFn: async ({ signal }) => {
      try {
        return await unwrap(api.GET('/v3/invites/{token}', { params: { path: { token } }, signal }));
      } catch (error) {
        if (error instanceof ApiError && [400, 404].includes(error.status)) return null;
        throw error;
      }
    },
    staleTime: 0,
  });
}
