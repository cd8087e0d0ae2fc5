import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { apiOf, unwrap, type Schemas } from '../../../lib/api.ts';
import { keys } from '../../../lib/keys.ts';
import { useCan } from '../../shell/useCan.ts';
import { budgetOf } from './request.ts';
import type { Draft } from './draft.ts';

const base = '/v3/organizations/{orgId}';

/** The first repositories whose name contains a text. */
export function repositoriesQuery(org: string, search: string) {
  return queryOptions({
    queryKey: keys.list(org, 'repositories', { search }),
    queryFn: async ({ signal }) => {
      const query = { first: 50, ...(search === '' ? {} : { search }) };
      return (await unwrap(apiOf(org).GET(`${base}/repositories`, { params: { query }, signal }))).items;
    },
    placeholderData: keepPreviousData,
  });
}

/** Returns the repository of a name; undefined while it is not known. */
export function useRepository(org: string, name: string): Schemas['Repository'] | undefined {
  const canRead = useCan(org, 'repos:read');
  const { data } = useQuery({ ...repositoriesQuery(org, name), enabled: canRead && name.includes('/') });
  return data?.find(({ repo }) => repo === name);
}

/** The first branches whose name contains a text. */
export function branchesQuery(org: string, id: string, search: string) {
  return queryOptions({
    queryKey: keys.part(org, 'repositories', id, `branches ${search}`),
    queryFn: async ({ signal }) => {
      const params = { path: { id }, query: { first: 50, ...(search === '' ? {} : { search }) } };
      return (await unwrap(apiOf(org).GET(`${base}/repositories/{id}/branches`, { params, signal }))).items;
    },
    placeholderData: keepPreviousData,
  });
}

/** The first paths that fit what is typed. */
export function filesQuery(org: string, id: string, ref: string, q: string) {
  return queryOptions({
    queryKey: keys.part(org, 'repositories', id, `files ${ref} ${q}`),
    queryFn: async ({ signal }) => {
      const query = { first: 8, ...(q === '' ? {} : { q }), ...(ref === '' ? {} : { ref }) };
      const params = { path: { id }, query };
      return (await unwrap(apiOf(org).GET(`${base}/repositories/{id}/files`, { params, signal }))).items;
    },
    placeholderData: keepPreviousData,
  });
}

/** The first notes that fit what is typed. */
export function notesQuery(org: string, search: string) {
  return queryOptions({
    queryKey: keys.list(org, 'knowledge', { mention: search }),
    queryFn: async ({ signal }) => {
      const query = { first: 8, enabled: 'true', ...(search === '' ? {} : { search }) };
      return (await unwrap(apiOf(org).GET(`${base}/knowledge/notes`, { params: { query }, signal }))).items;
    },
    placeholderData: keepPreviousData,
  });
}

export function modelsQuery(org: string) {
  return queryOptions({
    queryKey: keys.list(org, 'models'),
    queryFn: async ({ signal }) => (await unwrap(apiOf(org).GET(`${base}/models`, { signal }))).items,
  });
}

/** The knowledge that a session with this prompt would get. */
export function givenNotesQuery(org: string, prompt: string, repo: string) {
  return queryOptions({
    queryKey: keys.list(org, 'knowledge', { preview: prompt, repo }),
    queryFn: ({ signal }) => {
      const body = { prompt, ...(repo === '' ? {} : { repo }) };
      return unwrap(apiOf(org).POST(`${base}/knowledge/search`, { body, signal }));
    },
    placeholderData: keepPreviousData,
  });
}

/** The memory of a repository: the first notes, and how many there are. */
export function repositoryMemoryQuery(
  org: string,
  { repo, provider }: Pick<Schemas['Repository'], 'repo' | 'provider'>,
) {
  return queryOptions({
    queryKey: keys.list(org, 'memory', { preview: repo, provider }),
    queryFn: ({ signal }) => {
      const query = { first: 20, repo, provider };
      return unwrap(apiOf(org).GET(`${base}/memory/notes`, { params: { query }, signal }));
    },
  });
}

/** The skills that a session with this prompt would get. */
export function givenSkillsQuery(org: string, prompt: string, repo: string) {
  return queryOptions({
    queryKey: keys.list(org, 'skills', { preview: prompt, repo }),
    queryFn: ({ signal }) => {
      const body = { prompt, ...(repo === '' ? {} : { repo }) };
      return unwrap(apiOf(org).POST(`${base}/skills/resolve`, { body, signal }));
    },
    placeholderData: keepPreviousData,
  });
}

/** What the guardrails say about a session on a repository. */
export function guardrailsQuery(org: string, repo: string, draft: Draft) {
  const { max_cost_usd: cost } = budgetOf(draft);
  const body = {
    origin: 'console' as const,
    ...(repo === '' ? {} : { repo }),
    ...(cost === undefined ? {} : { budget: { max_cost_usd: cost } }),
  };
  return queryOptions({
    queryKey: keys.list(org, 'guardrails', { preview: body }),
    queryFn: ({ signal }) => unwrap(apiOf(org).POST(`${base}/guardrails/evaluate`, { body, signal })),
    placeholderData: keepPreviousData,
  });
}

export function secretsQuery(org: string) {
  return queryOptions({
    queryKey: keys.list(org, 'secrets', { first: 200 }),
    queryFn: async ({ signal }) =>
      (await unwrap(apiOf(org).GET(`${base}/secrets`, { params: { query: { first: 200 } }, signal }))).items,
  });
}

export function serversQuery(org: string) {
  return queryOptions({
    queryKey: keys.list(org, 'mcp-servers', { first: 200 }),
    queryFn: async ({ signal }) => {
      const params = { query: { first: 200, enabled: 'true' } };
      return (await unwrap(apiOf(org).GET(`${base}/mcp-servers`, { params, signal }))).items;
    },
  });
}

export function skillsQuery(org: string) {
  return queryOptions({
    queryKey: keys.list(org, 'skills', { first: 200 }),
    queryFn: async ({ signal }) => {
      const params = { query: { first: 200, enabled: 'true' } };
      return (await unwrap(apiOf(org).GET(`${base}/skills`, { params, signal }))).items;
    },
  });
}

export function allNotesQuery(org: string) {
  return queryOptions({
    queryKey: keys.list(org, 'knowledge', { first: 200 }),
    queryFn: async ({ signal }) => {
      const params = { query: { first: 200 } };
      return (await unwrap(apiOf(org).GET(`${base}/knowledge/notes`, { params, signal }))).items;
    },
  });
}
