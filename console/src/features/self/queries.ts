import { queryOptions } from '@tanstack/react-query';
import { apiOf, unwrap, type Schemas } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { listOptions } from '../../lib/list.ts';

export type SignIn = Schemas['SignIn'];

export const signInsPath = '/v3/self/sign-ins';
export const toolTokenPath = '/session/mcp-token';

export function signInsQuery(org: string) {
  return listOptions(keys.list(org, 'sign-ins'), (query, signal) =>
    unwrap(apiOf(org).GET(signInsPath, { params: { query }, signal })),
  );
}

export function toolTokenQuery(org: string) {
  return queryOptions({
    queryKey: keys.list(org, 'tool-token'),
    queryFn: ({ signal }) => unwrap(apiOf(org).GET(toolTokenPath, { signal })),
  });
}
