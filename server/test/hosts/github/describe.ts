import type { OpenApiJudge } from './openapi.ts';
import type { Repository } from './state.ts';

/** Describes a repository: GitHub's example with the values of this one. */
export function repositoryFields(judge: OpenApiJudge, url: string, { id, name, isPrivate, isArchived }: Repository) {
  return {
    ...judge.example('get /repos/{owner}/{repo}', 200),
    id,
    name: name.split('/')[1],
    full_name: name,
    private: isPrivate,
    archived: isArchived,
    default_branch: 'main',
    html_url: `${url}/${name}`,
    // The example lacks it, which its own schema requires.
    language: null,
    source: undefined,
    parent: undefined,
    template_repository: undefined,
  };
}
