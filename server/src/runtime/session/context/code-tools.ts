import { Type, type Static, type TObject } from 'typebox';
import { Value } from 'typebox/value';
import type { AgentTool, AgentToolResult } from '../../../adapters/agent/port.ts';
import { foundText, searchSymbols, type Found } from '../../../features/repositories/code-index/search-service.ts';
import { repositoryById, requireRepository } from '../../../features/repositories/service.ts';
import { listingTurns } from '../../../features/repositories/turns.ts';
import { getPage, getWiki, pagesText, pageText } from '../../../features/wikis/service.ts';
import { grep } from '../../../git/grep.ts';
import { findPaths } from '../../../git/listings.ts';
import { AppError, messageOf, ProviderError } from '../../../lib/errors.ts';
import { schemaProblems } from '../../../lib/schema-problems.ts';
import type { Checkout } from '../workspace/checkout-set.ts';
import type { ContextInput } from './context-provider.ts';
import { paged } from './paged.ts';

const mostResults = 100;
const usualResults = 20;

const Repo = Type.Optional(
  Type.String({
    maxLength: 200,
    description: 'A repository of this session, as owner/name. Default: the first one.',
  }),
);
const First = Type.Optional(
  Type.Integer({ minimum: 1, maximum: mostResults, description: `The most results. Default: ${usualResults}.` }),
);
const Line = (description: string) =>
  Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\u0000\\n\\r]+$', description });
const closed = { additionalProperties: false };

const inputs = {
  find_symbol: Type.Object({ name: Line('A part of its name, or Container.name.'), repo: Repo, first: First }, closed),
  search_code: Type.Object(
    {
      query: Line('A part of a line, as it stands, or with kind path a part of a path.'),
      kind: Type.Optional(Type.Enum(['text', 'path'], { description: 'text finds lines (the default), path files.' })),
      repo: Repo,
      first: First,
    },
    closed,
  ),
  read_wiki: Type.Object(
    {
      page: Type.Optional(
        Type.String({ minLength: 1, maxLength: 120, description: 'The slug of a page. Default: the list of pages.' }),
      ),
      repo: Repo,
      offset: Type.Optional(Type.Integer({ minimum: 0, description: 'Offset of the first character. Default: 0.' })),
    },
    closed,
  ),
};

const descriptions = {
  find_symbol:
    "Finds where a function, class, type or constant is defined, by its name, in the index of the repository's default branch.",
  search_code:
    'Finds lines that contain a text, or files by their path, in a repository at the commit on which this session began. Upper and lower case differ only if the query has an upper-case letter.',
  read_wiki:
    "Reads the wiki of the repository's default branch: its modules, their dependencies, commands, configuration and interfaces. Each statement names its line. Read it first in a repository that you do not know.",
};

/** Tools that read the indexes and wikis of the session's repositories; none where there is nothing to read. */
export async function codeTools({ attempt, checkoutSet }: ContextInput): Promise<AgentTool[]> {
  const { ctx, run, driver } = attempt;
  const checkouts = checkoutSet.checkouts.filter(({ repositoryId }) => repositoryId !== '');
  if (!driver.capabilities.takesTools || checkouts.length === 0) return [];
  const rows = await Promise.all(checkouts.map((one) => repositoryById(ctx, run.orgId, one.repositoryId)));
  const isIndexed = rows.some((row) => row !== undefined && row.index_commit !== '');
  if (!isIndexed) return [];
  const hasWiki = rows.some((row) => row !== undefined && row.wiki_generated_at !== null);
  const of = <I extends TObject>(
    name: keyof typeof inputs,
    input: I,
    work: (checkout: Checkout, given: Static<I>) => Promise<AgentToolResult>,
  ): AgentTool => ({
    name,
    description: descriptions[name],
    input: Object.fromEntries(Object.entries(input)),
    readOnly: true,
    title: (given) => titleOf(name, given),
    run: async (sent) => {
      const given = withoutNulls(sent);
      if (!Value.Check(input, given)) return failed(problemsOf(input, given));
      const wanted = String(Object(given).repo ?? checkouts[0]?.repo);
      const checkout = checkouts.find(({ repo }) => repo.toLowerCase() === wanted.toLowerCase());
      if (checkout === undefined)
        return failed(
          `This session has no repository ${wanted}. It has ${checkouts.map(({ repo }) => repo).join(', ')}.`,
        );
      return answered(async () => work(checkout, given));
    },
  });
  return [
    of('find_symbol', inputs.find_symbol, async (checkout, { name, first = usualResults }) => {
      const repository = await requireRepository(ctx, run.orgId, checkout.repositoryId);
      if (repository.index_commit === '') return failed(`${checkout.repo} has no index. Use search_code instead.`);
      return told(checkout, await searchSymbols(ctx, { repository, wanted: name, limit: first }));
    }),
    of('search_code', inputs.search_code, async (checkout, { query, kind = 'text', first = usualResults }) =>
      told(checkout, await listingTurns.run(run.orgId, () => found(checkout, query, kind, first))),
    ),
    ...(hasWiki
      ? [of('read_wiki', inputs.read_wiki, (checkout, input) => readWiki({ attempt }, checkout, input))]
      : []),
  ];
}

async function readWiki(
  { attempt: { ctx, run } }: Pick<ContextInput, 'attempt'>,
  checkout: Checkout,
  { page, offset = 0 }: Static<typeof inputs.read_wiki>,
): Promise<AgentToolResult> {
  const reader = { organization: { id: run.orgId } };
  const wiki = await getWiki(ctx, reader, checkout.repositoryId);
  if (page === undefined) return paged(pagesText(wiki), offset);
  if (!wiki.pages.some(({ slug }) => slug === page))
    return failed(`The wiki has no page ${JSON.stringify(page)}. Call read_wiki without page for the list.`);
  const shown = await getPage(ctx, reader, checkout.repositoryId, page);
  // The commit is the same in hundreds of links.
  const text = pageText(shown).replaceAll(`@${shown.commit}#L`, '#L');
  return paged(`${movedNote(checkout, shown.commit)}${text}`, offset);
}

async function found(checkout: Checkout, query: string, kind: string, limit: number): Promise<Found> {
  const { mirrorPath, baseCommit: commit } = checkout;
  if (kind === 'path') {
    const { items, isMore } = await findPaths(mirrorPath, commit, { search: query, limit });
    return { commit, items: items.map(({ path }) => ({ path, line: 0, text: '', symbol: null })), has_more: isMore };
  }
  const { items, isMore } = await grep(mirrorPath, commit, query, limit);
  return { commit, items: items.map((item) => ({ ...item, symbol: null })), has_more: isMore };
}

function told(checkout: Checkout, result: Found): AgentToolResult {
  return { ok: true, output: `${movedNote(checkout, result.commit)}${foundText(result)}` };
}

/** Says that lines may have moved since the index was made. */
function movedNote({ baseCommit }: Checkout, commit: string): string {
  if (commit === baseCommit) return '';
  return `[Of commit ${commit.slice(0, 12)}; this session began on ${baseCommit.slice(0, 12)}, so lines may differ.]\n\n`;
}

/** Failures of the platform are results: a ProviderError of a tool would mean that the sandbox is lost. */
async function answered(work: () => Promise<AgentToolResult>): Promise<AgentToolResult> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError || error instanceof ProviderError) return failed(messageOf(error));
    throw error;
  }
}

function failed(output: string): AgentToolResult {
  return { ok: false, output };
}

/** Models send null for an omitted field. */
function withoutNulls(sent: unknown): unknown {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return sent;
  return Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null));
}

function problemsOf(schema: TObject, given: unknown): string {
  const problems = schemaProblems(schema, given).slice(0, 5);
  const texts = problems.map(({ path, message }) => `${path.slice(1) || 'The input'} ${message}.`);
  return `${texts.join(' ')} The fields are: ${Object.keys(schema.properties).join(', ')}.`;
}

function titleOf(name: keyof typeof inputs, given: unknown): string {
  const { name: symbol, query, page } = Object(given);
  if (name === 'find_symbol') return `Find ${String(symbol)}`;
  return name === 'search_code'
    ? `Search ${String(query)}`
    : `Read the wiki${page === undefined ? '' : `: ${String(page)}`}`;
}
