import { QueryCache, QueryClient } from '@tanstack/react-query';
import { signInIfNeeded } from './errors.ts';

/** What the console has read. The client retries by itself; a failure that comes here is shown. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: signInIfNeeded }),
  defaultOptions: { queries: { staleTime: 30_000, retry: false } },
});
