import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { openDatabase, type Database } from '../../server/src/db/pool.ts';
import { migrate } from '../../server/src/db/migrate.ts';
import { rankNotes } from '../../server/src/features/knowledge/ranking.ts';
import { spreadOf, type Spread } from './agents-figures.ts';
import { readCorpus, type Page, type Prompt } from './knowledge-corpus.ts';
import { fillNotes, filterNotes, orgId, repositoryOf, searchPlainly, upTo } from './knowledge-notes.ts';

export interface KnowledgeFigures {
  pages: number;
  packages: number;
  /** Number of prompts in both halves, and of their packages. */
  prompts: number;
  promptPackages: number;
  /** On all notes, and with sessions that see only the notes of their repository. */
  everywhere: Compared;
  ownRepository: Compared;
  /**
   * With each heading in the body instead of the name, which shows how much the result depends on headings as labels.
   */
  unnamed: Compared;
  latency: { notes: number; ours: Spread; plain: Spread; ratio: number }[];
}

interface Compared {
  /** For the half that was not used for tuning. */
  held: Judged;
  tuned: Judged;
}

interface Judged {
  prompts: number;
  ours: Quality;
  plain: Quality;
}

interface Quality {
  /** The share of a prompt's labelled pages among the first five, averaged over the prompts. */
  recall: number;
  /** The share of labelled pages among all returned ones. */
  precision: number;
  /** The average number of pages returned for a prompt. */
  returned: number;
}

/** Returns the indices of the found pages. */
type Search = (prompt: Prompt) => Promise<number[]>;
type Arms = Record<'ours' | 'plain', Search>;

const seed = 20_261_122;
const atMost = 5;

/**
 * Measures how well and how fast the ranking finds the page for a changelog line, compared with plain full-text search.
 */
export async function benchKnowledge(options: {
  connectionString: string;
  sizes: readonly number[];
  /** Number of prompts that are timed at each size. */
  timed: number;
  say: (line: string) => void;
}): Promise<KnowledgeFigures> {
  const { connectionString, sizes, timed, say } = options;
  const db = openDatabase({ connectionString, maxConnections: 2, applicationName: 'bench', statementTimeoutMs: 0 });
  try {
    await migrate(db);
    const { pages, prompts } = readCorpus(fileURLToPath(new URL('../../node_modules', import.meta.url)), shuffled);
    say(`${pages.length.toLocaleString('en')} pages as notes, ${prompts.length} prompts`);
    await fillNotes(db, pages);
    const arms = { ours: rank(db), plain: plain(db) };
    const everywhere = await compare(prompts, arms);
    await filterNotes(db, pages);
    const ownRepository = await compare(prompts, arms);
    await fillNotes(db, pages.map(withoutName));
    const unnamed = await compare(prompts, arms);
    const latency: KnowledgeFigures['latency'] = [];
    for (const notes of sizes) {
      say(`as ${notes.toLocaleString('en')} notes`);
      await fillNotes(db, upTo(notes, shuffled(pages)));
      latency.push({ notes, ...(await compareTimes(shuffled(prompts).slice(0, timed), arms)) });
    }
    const packages = (of: readonly { package: string }[]): number => new Set(of.map((one) => one.package)).size;
    const counts = { pages: pages.length, packages: packages(pages) };
    return {
      ...counts,
      prompts: prompts.length,
      promptPackages: packages(prompts),
      everywhere,
      ownRepository,
      unnamed,
      latency,
    };
  } finally {
    await db.close();
  }
}

function withoutName(page: Page): Page {
  return { ...page, name: page.package, body: `${page.name}\n\n${page.body}` };
}

/** Returns the query: the line, and the name of its package. */
function questionOf(prompt: Prompt): string {
  return `${prompt.package}: ${prompt.text}`;
}

function rank(db: Database): Search {
  return async (prompt) => {
    const repositories = [{ provider: 'github' as const, repo: repositoryOf(prompt.package) }];
    const input = { orgId, userId: '', query: questionOf(prompt), repositories, limit: atMost };
    return (await rankNotes(db.kysely, input)).map(({ note_id }) => Number(note_id.slice('note_'.length)));
  };
}

function plain(db: Database): Search {
  return (prompt) =>
    searchPlainly(db, { query: questionOf(prompt), repo: repositoryOf(prompt.package), limit: atMost });
}

async function compare(prompts: readonly Prompt[], arms: Arms): Promise<Compared> {
  const halves = { tuned: prompts.filter((prompt) => !isHeld(prompt)), held: prompts.filter(isHeld) };
  const judge = async (half: readonly Prompt[]) => ({
    prompts: half.length,
    ours: await quality(half, arms.ours),
    plain: await quality(half, arms.plain),
  });
  return { tuned: await judge(halves.tuned), held: await judge(halves.held) };
}

/** Decides by the line alone, so that a prompt's half does not depend on others. */
function isHeld({ package: from, text }: Prompt): boolean {
  return createHash('sha256').update(`7${from}${text}`).digest().readUInt32BE(0) % 2 === 1;
}

async function quality(prompts: readonly Prompt[], search: Search): Promise<Quality> {
  let recall = 0;
  let right = 0;
  let returned = 0;
  for (const prompt of prompts) {
    const found = await search(prompt);
    const hits = prompt.labels.filter((label) => found.includes(label)).length;
    recall += hits / prompt.labels.length;
    right += hits;
    returned += found.length;
  }
  return { recall: recall / prompts.length, precision: right / returned, returned: returned / prompts.length };
}

/** Times both in turn, prompt by prompt, so that both see the same machine; after one unmeasured pass. */
async function compareTimes(prompts: readonly Prompt[], arms: Arms) {
  const ours: number[] = [];
  const plainly: number[] = [];
  for (const prompt of prompts.slice(0, 20)) for (const search of [arms.ours, arms.plain]) await search(prompt);
  for (const prompt of prompts) {
    ours.push(await timeOf(() => arms.ours(prompt)));
    plainly.push(await timeOf(() => arms.plain(prompt)));
  }
  const spread = { ours: spreadOf(ours), plain: spreadOf(plainly) };
  return { ...spread, ratio: spread.ours.p50 / spread.plain.p50 };
}

async function timeOf(run: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await run();
  return performance.now() - begun;
}

/** Shuffles in the same way in every run. */
function shuffled<Item>(items: readonly Item[]): Item[] {
  const ordered = items.map((item, at) => ({
    item,
    at: createHash('sha256').update(`${seed} ${at}`).digest('hex'),
  }));
  return ordered.toSorted((one, other) => (one.at < other.at ? -1 : 1)).map(({ item }) => item);
}
