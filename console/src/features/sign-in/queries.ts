import { queryOptions } from '@tanstack/react-query';
import { api, ApiError, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';

/** How one can sign in, and if this browser is. */
export const entranceQuery = queryOptions({
  queryKey: keys.entrance(),
  queryFn: ({ signal }) => unwrap(api.GET('/v3/auth/methods', { signal })),
  staleTime: 0,
  // The first password takes two requests: between them, the page stays what it is.
  refetchOnWindowFocus: false,
});

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
