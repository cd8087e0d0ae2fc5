import type { Provider } from '../../lib/providers.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { rankNotes, type RankedNote, type RankInput } from './ranking.ts';
import { passesFilter } from './repository-filter.ts';

let db: TestDatabase;
let made = 0;
beforeAll(async () => {
  db = await createTestDatabase();
  await db.database.pool.query(
    `insert into organizations (id, slug, name) values ('org_a', 'a', 'A'), ('org_b', 'b', 'B');
     insert into users (id, email, name) values ('usr_ada', 'ada@example.com', 'Ada'), ('usr_bob', 'bob@example.com', 'Bob')`,
  );
});
beforeEach(async () => {
  await db.database.pool.query('delete from knowledge_notes');
});
afterAll(() => db.drop());

async function note(fields: Record<string, unknown>): Promise<string> {
  made += 1;
  const id = `note_${String(made).padStart(6, '0')}`;
  const row = {
    id,
    org_id: 'org_a',
    name: 'n',
    trigger: 't',
    body: 'b',
    created_by_type: 'user',
    created_by_id: 'u',
    ...fields,
  };
  const places = Object.keys(row).map((_, at) => `$${at + 1}`);
  await db.database.pool.query(
    `insert into knowledge_notes (${Object.keys(row).join(', ')}) values (${places.join(', ')})`,
    Object.values(row),
  );
  return id;
}

function rank(query: string, input: Partial<RankInput> = {}): Promise<RankedNote[]> {
  const repositories = [{ provider: 'github' as const, repo: 'acme/web' }];
  const base = { orgId: 'org_a', userId: '', repositories, limit: 20 };
  return rankNotes(db.database.kysely, { ...base, query, ...input });
}

async function found(query: string, input: Partial<RankInput> = {}): Promise<string[]> {
  return (await rank(query, input)).map(({ note_id }) => note_id);
}

describe('who is given a note', () => {
  test('nobody of another organization, not even by its terms', async () => {
    const own = await note({ name: 'Zebra' });
    const theirs = await note({ name: 'Zebra', org_id: 'org_b' });
    expect(await found('zebra')).toEqual([own]);
    expect(await found('zebra', { orgId: 'org_b' })).toEqual([theirs]);
    expect(await found('zebra', { orgId: 'org_none' })).toEqual([]);
    const before = await rank('zebra');
    for (let count = 0; count < 20; count += 1) await note({ name: 'Zebra', org_id: 'org_b' });
    expect(await rank('zebra')).toEqual(before);
  });

  test('of a user’s own notes the user alone', async () => {
    const ada = await note({ name: 'Zebra', scope: 'user', user_id: 'usr_ada' });
    const bob = await note({ name: 'Zebra', scope: 'user', user_id: 'usr_bob' });
    const all = await note({ name: 'Zebra' });
    expect(await found('zebra', { userId: 'usr_ada' })).toEqual([all, ada]);
    expect(await found('zebra', { userId: 'usr_bob' })).toEqual([all, bob]);
    expect(await found('zebra')).toEqual([all]);
  });

  test('nobody of one that is disabled, and everybody again when it is not', async () => {
    const id = await note({ name: 'Zebra' });
    const set = (enabled: boolean) => db.database.pool.query('update knowledge_notes set enabled = $1', [enabled]);
    await set(false);
    expect(await found('zebra')).toEqual([]);
    const terms = await db.database.pool.query('select from knowledge_terms');
    expect(terms.rowCount).toBe(0);
    await set(true);
    expect(await found('zebra')).toEqual([id]);
  });

  test('of a repository’s notes a session that works on one', async () => {
    const everywhere = await note({ name: 'Zebra' });
    const onAny = await note({ name: 'Zebra', scope: 'repository' });
    const onThis = await note({ name: 'Zebra', scope: 'repository', repo_filter: 'acme/web' });
    const onOther = await note({ name: 'Zebra', scope: 'repository', repo_filter: 'acme/api' });
    expect(await found('zebra')).toEqual([onThis, onAny, everywhere]);
    expect(await found('zebra', { repositories: [] })).toEqual([everywhere]);
    const both = [
      { provider: 'github' as const, repo: 'acme/web' },
      { provider: 'local' as const, repo: 'acme/api' },
    ];
    expect(await found('zebra', { repositories: both })).toEqual([onOther, onThis, onAny, everywhere]);
    expect(await found('zebra', { repositories: null })).toEqual([onOther, onThis, onAny, everywhere]);
  });
});

describe('a filter', () => {
  test.each<[string, Provider, string, boolean]>([
    ['', 'github', 'acme/web', true],
    ['acme/web', 'github', 'acme/web', true],
    ['ACME/Web', 'github', 'acme/wEB', true],
    ['acme/web', 'gitlab', 'acme/web', true],
    ['github:acme/web', 'github', 'acme/web', true],
    ['github:acme/web', 'gitlab', 'acme/web', false],
    ['local:*', 'local', 'acme/web', true],
    ['local:*', 'github', 'acme/web', false],
    ['gitlab:a/*', 'gitlab', 'a/b/c', true],
    ['a/b/c', 'gitlab', 'a/b/c', true],
    ['a/b', 'gitlab', 'a/b/c', false],
    ['a/b/*', 'gitlab', 'a/c/b', false],
    ['acme/*', 'github', 'acmes/web', false],
    ['acme/*-api', 'github', 'acme/user-api', true],
    ['acme/*-api', 'github', 'acme/user-apis', false],
    ['*/we*b', 'github', 'acme/web', true],
    ['acme/we*eb', 'github', 'acme/web', false],
    ['other/*, acme/web ,', 'github', 'acme/web', true],
    [' , ', 'github', 'acme/web', true],
    ['acme/w_b', 'github', 'acme/web', false],
    ['acme/w%', 'github', 'acme/web', false],
    ['acme/(web)+', 'github', 'acme/web', false],
    ['ssh:acme/web', 'github', 'acme/web', false],
  ])('%j for %s:%s', async (filter, provider, repo, passes) => {
    const id = await note({ name: 'Zebra', repo_filter: filter });
    expect(await found('zebra', { repositories: [{ provider, repo }] })).toEqual(passes ? [id] : []);
  });

  test('with a provider holds for whoever does not know it', () => {
    expect(passesFilter('gitlab:acme/web', [{ repo: 'acme/web' }])).toBe(true);
    expect(passesFilter('gitlab:acme/api', [{ repo: 'acme/web' }])).toBe(false);
  });

  test('of many stars costs no more than its length', () => {
    expect(passesFilter('*a'.repeat(500), [{ repo: `${'a'.repeat(5_000)}b` }])).toBe(false);
  });
});

describe('the order', () => {
  test('name before trigger before body; equal ones newest first, always the same', async () => {
    const rest = 'and some more words that stand here beside it';
    const inBody = await note({ name: 'One', trigger: 'Two', body: `Zebra ${rest}` });
    const inTrigger = await note({ name: 'One', trigger: `Zebra ${rest}`, body: 'Two' });
    const older = await note({ name: 'Zebra', trigger: 'One', body: 'Two' });
    const newer = await note({ name: 'Zebra', trigger: 'One', body: 'Two' });
    expect((await found('zebra')).slice(0, 2)).toEqual([newer, older]);
    expect(await found('zebra', { limit: 1 })).toEqual([newer]);
    expect(await found('zebra', { limit: 0 })).toEqual([]);
    await db.database.pool.query('delete from knowledge_notes where id = any($1)', [[older, newer]]);
    expect((await found('zebra'))[0]).toBe(inTrigger);
    await db.database.pool.query('delete from knowledge_notes where id = $1', [inTrigger]);
    expect(await found('zebra')).toEqual([inBody]);
    for (const { score } of await rank('zebra')) expect(score > 0 && score < 1).toBe(true);
  });

  test('a rare word says more than a common one, and one in every fifth note nothing', async () => {
    for (let count = 0; count < 60; count += 1) await note({ name: `Build ${count}`, body: `service${count % 4}` });
    const rare = await note({ name: 'Build the quokka' });
    expect((await found('build of the quokka'))[0]).toBe(rare);
    expect(await found('build')).toEqual([]);
  });

  test('what shares next to nothing with the prompt is left out', async () => {
    const fits = await note({ name: 'Retry budget', trigger: 'When you call payments from a worker' });
    await note({
      name: 'Tea',
      trigger: 'In the kitchen',
      body: `A worker may have some. ${'Earl Grey is best. '.repeat(40)}`,
    });
    expect(await found('the worker spends its retry budget')).toEqual([fits]);
  });

  test.each([
    ['retryBudget', 'fix retry_budget'],
    ['retry_budget', 'the retryBudget is wrong'],
    ['retry-budget', '`RETRY_BUDGET` is not read'],
    ['retryBudget', 'raise the retry budget'],
    ['The retry budget', '`retryBudget` is spent'],
    ['src/http/route.ts', 'TypeError in src/http/route.ts:12'],
    ['src/http/route.ts', 'look at route.ts'],
    ['ERR_HTTP_TIMEOUT', 'fails with ERR_HTTP_TIMEOUT'],
    ['E11000', 'MongoServerError: E11000 duplicate key'],
    ['@fastify/rate-limit', 'upgrade @fastify/rate-limit'],
    ['db.has', 'call has() of the database'],
    ['std::vector', 'std::vector leaks'],
    ['Deployments', 'how do we deploy?'],
    ['再試行の予算', '決済の再試行を直してください'],
    ['재시도 예산', '재시도를 고쳐 주세요'],
    ['Überweisung', 'die überweisung schlägt fehl'],
    ['Бюджет повторов', 'исправь бюджет'],
  ])('finds %j by %j', async (name, query) => {
    const id = await note({ name });
    await note({ name: 'Tea', trigger: 'Breakfast', body: 'Earl Grey, a pot of it.' });
    expect(await found(query)).toEqual([id]);
  });

  test('a text that changes is found by its new words alone', async () => {
    const id = await note({ name: 'Zebra', body: 'Stripes' });
    await db.database.pool.query(`update knowledge_notes set name = 'Okapi' where id = $1`, [id]);
    expect([await found('zebra'), await found('okapi')]).toEqual([[], [id]]);
  });
});

test('the reason names the words, where they stand and where the note applies', async () => {
  await note({
    name: 'Retry budget',
    trigger: 'When you call payments',
    body: 'See `maxTries`.',
    repo_filter: 'acme/*',
  });
  const reasonOf = async (query: string, userId = ''): Promise<unknown> => (await rank(query, { userId }))[0]?.reason;
  expect(await reasonOf('Spend the retry budget of payments')).toBe(
    'matches “budget”, “retry” in the name; matches “payments” in the trigger; applies to acme/*',
  );
  expect(await reasonOf('`maxTries` is 3')).toBe('matches “maxTries” in the body; applies to acme/*');
  await note({ name: 'Zebra', scope: 'user', user_id: 'usr_ada' });
  expect(await reasonOf('zebra', 'usr_ada')).toBe(
    'matches “zebra” in the name; applies to every repository, for this user only',
  );
});

describe('a prompt', () => {
  test.each([
    ['of nothing', ''],
    ['of stop words alone', 'the and of to in is it'],
    ['of emoji', '🚀 🎉'],
    ['of punctuation', `& | ! ( ) : * <-> ' " % _ \\ \\\\ ; -- /* $1 \${x}`],
    ['of half a character', '\uD83D'],
    ['of other words', 'quokka'],
    ['of one long word', 'x'.repeat(100_000)],
    ['of one long name', 'aB_'.repeat(33_000)],
    ['of dots', 'a.'.repeat(50_000)],
    ['of code marks', '`a'.repeat(50_000)],
    ['of different words', Array.from({ length: 16_000 }, (_, at) => `w${at}`).join(' ')],
    ['of one script without spaces', '再'.repeat(100_000)],
  ])('%s finds nothing, and fails at nothing', async (_, query) => {
    await note({ name: 'Zebra', trigger: 'When stripes matter', body: 'Paint them.' });
    expect(await found(query)).toEqual([]);
  });

  test.each([
    ['in the syntax of a search', `zebra & !stripes | (tea <-> ':*')`],
    ['in quotes', `"zebra'`],
    ['among wildcards', '%zebra_ \\'],
    ['before 100,000 characters', `zebra ${'Error at line 1\n'.repeat(6_250)}`],
    ['behind 100,000 characters', `${'Error at line 1\n'.repeat(6_250)} zebra`],
  ])('finds a word %s', async (_, query) => {
    const id = await note({ name: 'Zebra' });
    expect(await found(query)).toEqual([id]);
  });
});
