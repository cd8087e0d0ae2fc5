import type { Actor } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { foundText, searchRepository } from '../repositories/code-index/search-service.ts';
import { repositoryByPrefixedName } from '../repositories/service.ts';
import { getPage, getWiki, pagesText, pageText } from '../wikis/service.ts';
import { FindSymbolInput, FoundCode, ReadWikiInput, ReadWikiOutput, SearchCodeInput } from './code-schemas.ts';
import { tool, type Tool } from './tool.ts';

type CodeContext = Pick<Context, 'db' | 'sourceControl'>;

/** Tools that read repositories; each names one by `owner/name`, with the provider in front if several have it. */
export function codeTools(ctx: CodeContext): Tool[] {
  return [...searchTools(ctx), wikiTool(ctx)];
}

function searchTools(ctx: CodeContext): Tool[] {
  return [
    tool({
      name: 'search_code',
      title: 'Search code',
      description:
        'Finds lines that contain a text, or paths, in the default branch of a repository. Upper and lower case differ only if the query has an upper-case letter.',
      scope: 'repos:read',
      effect: 'reads',
      input: SearchCodeInput,
      output: FoundCode,
      run: (caller, { repo, query, kind = 'text', first = 20 }) => find(ctx, caller, repo, { q: query, kind, first }),
      text: ({ results, has_more }) => foundText({ items: results, has_more }),
    }),
    tool({
      name: 'find_symbol',
      title: 'Find a definition',
      description: 'Finds definitions by name in the index of a repository: functions, classes, types, constants.',
      scope: 'repos:read',
      effect: 'reads',
      input: FindSymbolInput,
      output: FoundCode,
      run: (caller, { repo, name, first = 20 }) => find(ctx, caller, repo, { q: name, kind: 'symbol', first }),
      text: ({ results, has_more }) => foundText({ items: results, has_more }),
    }),
  ];
}

function wikiTool(ctx: CodeContext): Tool {
  return tool({
    name: 'read_wiki',
    title: 'Read a wiki',
    description:
      "Reads a repository's wiki: its overview, modules, dependencies, commands and configuration. Without a page, lists the pages. Start here in a repository that you do not know.",
    scope: 'repos:read',
    effect: 'reads',
    input: ReadWikiInput,
    output: ReadWikiOutput,
    async run(caller, { repo, page }) {
      const { id } = await repositoryByPrefixedName(ctx, caller.organization.id, repo, '/repo');
      const { state, commit, pages } = await getWiki(ctx, caller, id);
      if (page === undefined)
        return {
          state,
          commit,
          text: '',
          pages: pages.map(({ slug, title, summary }) => ({ slug, title, summary })),
        };
      return { state, commit, pages: [], text: pageText(await getPage(ctx, caller, id, page)) };
    },
    text: ({ text, ...wiki }) => (text === '' ? pagesText(wiki) : text),
  });
}

async function find(
  ctx: CodeContext,
  caller: Actor,
  repo: string,
  query: Parameters<typeof searchRepository>[3],
): Promise<{
  commit: string;
  results: { path: string; line: number; text: string; kind: string; container: string }[];
  has_more: boolean;
}> {
  const { id } = await repositoryByPrefixedName(ctx, caller.organization.id, repo, '/repo');
  const { commit, items, has_more } = await searchRepository(ctx, caller, id, query);
  const results = items.map(({ path, line, text, symbol }) => ({
    path,
    line,
    text,
    kind: symbol?.kind ?? '',
    container: symbol?.container ?? '',
  }));
  return { commit, results, has_more };
}
