import { QueryCache, QueryClient, type Query, type QueryKey } from '@tanstack/react-query';
import { ApiError } from './api.ts';
import { signInIfNeeded } from './errors.ts';
import { hasUnsaved } from './unsaved.ts';

/**
 * What the console has read. The client retries by itself; a failure that comes here is shown, unless there is something
 * to show and the failure may pass: then what is shown stays, is still stale, and the strip says that it may be old. What
 * is shown also stays around unsaved input; sending that tells of the failure.
 */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, query) => {
      signInIfNeeded(error);
      if (query.state.data !== undefined && (mayPass(error) || hasUnsaved()) && !isForMore(query))
        query.setState({ status: 'success', error: null });
    },
  }),
  defaultOptions: {
    queries: { staleTime: 30_000, retry: false },
    // Without a network, what a person does fails at once and says so, instead of happening at some later time.
    mutations: { networkMode: 'always' },
  },
});

/** The server was not reached, or could not answer. */
function mayPass(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status === 429 || error.status >= 500;
}

/** Another page of a list was wanted, so its failure is about what is not shown yet. */
function isForMore({ state }: Query<unknown, unknown, unknown>): boolean {
  return state.fetchMeta?.fetchMore !== undefined;
}

/** Replaces what was read with what was saved; a read under way ends, because it may bring what was there before. */
export async function replaceData(client: QueryClient, queryKey: QueryKey, saved: unknown): Promise<void> {
  await client.cancelQueries({ queryKey });
  client.setQueryData(queryKey, saved);
}
