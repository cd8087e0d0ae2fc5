import { Type } from 'typebox';
import type { Context } from '../../app/context.ts';
import { route, type Route } from '../../http/route.ts';
import { explain, Id, List, ListQuery, named, Text } from '../../http/schema.ts';
import { listBranches, listFiles } from './listing-service.ts';

const Branch = named('Branch', Type.Object({ name: Type.String(), commit: Type.String(), is_default: Type.Boolean() }));
const RepositoryFile = named('RepositoryFile', Type.Object({ path: Type.String() }));

explain('Branch', {
  name: 'Its name, without `refs/heads/`.',
  commit: 'The commit that it points to.',
  is_default: "True for the repository's default branch.",
});
explain('RepositoryFile', { path: "Relative to the repository's root; it may contain any character except U+0000." });

/** The contents of a repository, as far as a form needs them to name a branch or a file. */
export function listingRoutes(ctx: Pick<Context, 'db' | 'sourceControl'>): Route[] {
  return [
    route({
      method: 'GET',
      path: '/repositories/:id/branches',
      id: 'listBranches',
      summary: "List a repository's branches",
      description: 'By name. `search` is a part of the name, case-insensitive.',
      scope: 'repos:read',
      params: { id: Id },
      query: ListQuery({ search: Type.Optional(Text(200, { minLength: 1 })) }),
      status: 200,
      errors: [502],
      answer: List(Branch),
      handle: ({ caller, params, query }) => listBranches(ctx, caller, params.id, query),
    }),
    route({
      method: 'GET',
      path: '/repositories/:id/files',
      id: 'listFiles',
      summary: "List a repository's files",
      description:
        'Paths only, read from git: no index is needed. With `q`, files whose name contains it come first, then those ' +
        'whose directory does. All pages are of the commit of the first one. Reads the first 1,000,000 paths, and leaves ' +
        'out paths that are not UTF-8 or longer than 8,192 bytes. 400 for a `ref` that does not exist.',
      scope: 'repos:read',
      params: { id: Id },
      query: ListQuery({
        q: Type.Optional(Text(200, { minLength: 1, description: 'A part of the path, case-insensitive.' })),
        ref: Type.Optional(
          Text(240, { minLength: 1, description: 'A branch, a tag or a commit; default the default branch.' }),
        ),
      }),
      status: 200,
      errors: [502],
      answer: List(RepositoryFile),
      handle: ({ caller, params, query }) => listFiles(ctx, caller, params.id, query),
    }),
  ];
}
