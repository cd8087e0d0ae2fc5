import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { apiOf, unwrap, type Schemas } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { listOptions, textsOf } from '../../lib/list.ts';

export type Skill = Schemas['Skill'];
export type SkillDetail = Schemas['SkillDetail'];
export type SkillFile = Schemas['SkillFile'];
export type SkillRevision = Schemas['SkillRevision'];
export type SkillUpload = Schemas['ValidateSkillRequest']['files'][number];

export const skillsPath = '/v3/organizations/{orgId}/skills';

export const sources = [
  ['managed', 'Written here'],
  ['imported', 'Imported'],
  ['repository', 'In a repository'],
] as const satisfies readonly (readonly [Skill['source'], string])[];

export interface SkillFilters {
  q?: string;
  source?: string;
  repo?: string;
  /** `on` or `off`. */
  on?: string;
}

export function skillFiltersOf(search: Record<string, unknown>): SkillFilters {
  return textsOf(search, ['q', 'source', 'repo', 'on']);
}

export function skillsQuery(org: string, { q, source, repo, on }: SkillFilters) {
  const filters = {
    ...(q === undefined ? {} : { search: q }),
    ...(source === undefined ? {} : { source }),
    ...(repo === undefined ? {} : { repo }),
    ...(on === undefined ? {} : { enabled: String(on === 'on') }),
  };
  return listOptions<Skill>(keys.list(org, 'skills', { rows: filters }), (page, signal) =>
    unwrap(apiOf(org).GET(skillsPath, { params: { query: { ...page, ...filters } }, signal })),
  );
}

export function skillQuery(org: string, id: string) {
  return queryOptions({
    queryKey: keys.one(org, 'skills', id),
    queryFn: ({ signal }) => unwrap(apiOf(org).GET(`${skillsPath}/{id}`, { params: { path: { id } }, signal })),
  });
}

/** A file of a skill; the hash is part of the key, so that another content is another entry. */
export function fileQuery(org: string, id: string, path: string, sha256: string) {
  return queryOptions({
    queryKey: keys.part(org, 'skills', id, `file ${sha256} ${path}`),
    queryFn: ({ signal }) =>
      unwrap(apiOf(org).GET(`${skillsPath}/{id}/files/{path}`, { params: { path: { id, path } }, signal })),
    staleTime: Infinity,
  });
}

export function revisionsQuery(org: string, id: string) {
  return listOptions<SkillRevision>(keys.part(org, 'skills', id, 'revisions'), (query, signal) =>
    unwrap(apiOf(org).GET(`${skillsPath}/{id}/revisions`, { params: { path: { id }, query }, signal })),
  );
}

/** What is wrong with the files of a skill, by line. */
export function validateQuery(org: string, files: SkillUpload[] | undefined) {
  return queryOptions({
    queryKey: keys.list(org, 'skills', { validate: files }),
    queryFn: ({ signal }) =>
      unwrap(apiOf(org).POST(`${skillsPath}/validate`, { body: { files: files ?? [] }, signal })),
    enabled: files !== undefined,
    placeholderData: keepPreviousData,
    gcTime: 0,
    staleTime: Infinity,
  });
}

/** The skills that a session with a prompt would get, and the others with the reason. */
export function resolveQuery(org: string, prompt: string, repo: string) {
  return queryOptions({
    queryKey: keys.list(org, 'skills', { resolve: prompt, repo }),
    queryFn: ({ signal }) =>
      unwrap(apiOf(org).POST(`${skillsPath}/resolve`, { body: { prompt, ...(repo === '' ? {} : { repo }) }, signal })),
    placeholderData: keepPreviousData,
  });
}
