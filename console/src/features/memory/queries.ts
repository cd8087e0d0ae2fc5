import { queryOptions } from '@tanstack/react-query';
import { apiOf, unwrap, type Schemas } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { listOptions } from '../../lib/list.ts';

export type MemoryItem = Schemas['MemoryItem'];
export type Provider = Schemas['MemoryNote']['provider'];

/** A repository, as its memory names it. */
export interface Place {
  repo: string;
  provider: Provider;
}

export const memoryPath = '/v3/organizations/{orgId}/memory/notes';
export const generatedPath = '/v3/organizations/{orgId}/memory/generated';

export function isProvider(value: unknown): value is Provider {
  return value === 'local' || value === 'github' || value === 'gitlab' || value === 'pagure';
}

export function memoryQuery(org: string, place: Place) {
  return listOptions<MemoryItem>(keys.list(org, 'memory', place), (page, signal) =>
    unwrap(apiOf(org).GET(memoryPath, { params: { query: { ...page, ...place } }, signal })),
  );
}

/** What agents wrote about a repository themselves. */
export function generatedQuery(org: string, place: Place) {
  return queryOptions({
    queryKey: keys.list(org, 'memory', { generated: place }),
    queryFn: ({ signal }) => unwrap(apiOf(org).GET(generatedPath, { params: { query: place }, signal })),
  });
}
