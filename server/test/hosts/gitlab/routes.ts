import { hookRoutes } from './hooks.ts';
import { accessRoutes } from './access.ts';
import { checkRoutes } from './checks.ts';
import { issueRoutes } from './issues.ts';
import { projectJson, tokenJson, userJson } from './json.ts';
import { mergeRequestRoutes } from './merge-requests.ts';
import { noteRoutes } from './notes.ts';
import { reviewRoutes } from './reviews.ts';
import { flag, ok, pages, roleIn, type FakeAnswer, type FakeCall, type FakeRoute } from './route.ts';
import { role, type FakeProject } from './state.ts';

export const routes: readonly FakeRoute[] = [
  { method: 'GET', path: '/user', answer: ({ url, token }) => ok(userJson(url, token)) },
  { method: 'GET', path: '/personal_access_tokens/self', answer: ({ token }) => ok(tokenJson(token)) },
  {
    method: 'GET',
    path: '/projects',
    query: {
      ...pages,
      membership: flag,
      archived: flag,
      search: /^.+$/,
      search_namespaces: flag,
      min_access_level: /^(?:5|10|15|20|30|40|50)$/,
      pagination: /^keyset$/,
      order_by: /^id$/,
      sort: /^(?:asc|desc)$/,
      id_after: /^\d+$/,
    },
    answer: listProjects,
  },
  {
    method: 'GET',
    path: '/projects/{id}',
    role: role.guest,
    answer: async ({ url, project }) => ok(projectJson(url, project, await isEmpty(project))),
  },
  ...mergeRequestRoutes,
  ...hookRoutes,
  ...noteRoutes,
  ...reviewRoutes,
  ...checkRoutes,
  ...issueRoutes,
  ...accessRoutes,
];

async function listProjects({ state, url, token, query }: FakeCall): Promise<FakeAnswer> {
  const least = Number(query['min_access_level'] ?? 0);
  const search = (query['search'] ?? '').toLowerCase();
  const found = [...state.projects.values()]
    .filter((project) => roleIn(project, token) >= Math.max(least, query['membership'] === 'true' ? role.guest : 0))
    .filter(({ path }) =>
      (query['search_namespaces'] === 'true' ? path : lastPart(path)).toLowerCase().includes(search),
    )
    .filter(({ id }) => id > Number(query['id_after'] ?? 0))
    .toSorted((a, b) => a.id - b.id)
    .slice(0, Number(query['per_page'] ?? 20));
  return ok(await Promise.all(found.map(async (project) => projectJson(url, project, await isEmpty(project)))));
}

async function isEmpty({ repository }: FakeProject): Promise<boolean> {
  return (await repository.commit('refs/heads/main')) === undefined;
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
