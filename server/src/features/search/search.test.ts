import { CompiledQuery } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { openChangeRequest } from '../../../test/support/change-requests.ts';
import { join, personalKey } from '../../../test/support/members.ts';
import { amongAll, amongNewest, parseQuery, preferIndexes } from './store.ts';

const org = '/v3/organizations/default';

let api: TestApi;
let orgId: string;
let repositoryId: string;
beforeAll(async () => {
  api = await startTestApi();
  orgId = String(Object((await api.call('GET', '/v3/self')).json['organization']).id);
  repositoryId = await post('/repositories', { provider: 'local', repo: 'acme/invoice-shop' });
});
afterAll(() => api.close());

async function post(path: string, body: object, key = api.adminKey): Promise<string> {
  const { status, json, text } = await api.call('POST', `${org}${path}`, { key, body });
  if (status !== 201) throw new Error(text);
  return String(json['id'] ?? json['note_id']);
}

async function found(query: string, key = api.adminKey) {
  const { status, json, text } = await api.call('GET', `${org}/search?${query}`, { key });
  if (status !== 200) throw new Error(text);
  const items: Record<string, unknown>[] = Object(json['items']);
  return items;
}

async function titles(q: string, more = '', key = api.adminKey): Promise<unknown[]> {
  return (await found(`q=${encodeURIComponent(q)}${more}`, key)).map(
    ({ type, title }) => `${String(type)} ${String(title)}`,
  );
}

test('finds each type by its name, with what leads to it', async () => {
  const session = await post('/sessions', { prompt: 'Invoices need a due date in `src/billing/terms.ts`.' });
  const named = await post('/sessions', { prompt: 'x', title: 'Repair INVOICE totals' });
  const note = await post('/knowledge/notes', { name: 'Invoices', trigger: 'Anything about money', body: 'x' });
  const automation = await post('/automations', {
    name: 'Nightly invoice check',
    triggers: [{ type: 'once', at: '2099-01-01T00:00:00Z' }],
    action: { prompt_template: 'Check.' },
  });
  const { id: changeRequest, number } = await openChangeRequest(api.ctx, {
    orgId,
    repositoryId,
    headRef: 'due-date',
    headSha: '1'.repeat(40),
    baseRef: 'main',
    baseSha: '2'.repeat(40),
    title: 'Give invoices a due date',
    body: '',
    draft: false,
    evidence: [],
    author: { type: 'system', id: '' },
    sessionId: '',
  });
  const userId = await join(api, orgId, 'member', 'invoicing@example.com');
  const time = expect.stringMatching(/Z$/);
  const none = { repository_id: '', number: null, created_at: time };
  expect(await found('q=invoic')).toEqual([
    { ...none, type: 'session', id: named, title: 'Repair INVOICE totals', detail: '', state: 'queued' },
    {
      ...none,
      type: 'session',
      id: session,
      title: expect.stringContaining('Invoices need'),
      detail: '',
      state: 'queued',
    },
    {
      type: 'change_request',
      id: changeRequest,
      title: 'Give invoices a due date',
      detail: 'acme/invoice-shop',
      state: 'open',
      repository_id: repositoryId,
      number,
      created_at: time,
    },
    { ...none, type: 'repository', id: repositoryId, title: 'acme/invoice-shop', detail: '', state: '' },
    { ...none, type: 'note', id: note, title: 'Invoices', detail: 'Anything about money', state: '' },
    { ...none, type: 'automation', id: automation, title: 'Nightly invoice check', detail: '', state: 'active' },
    {
      ...none,
      type: 'member',
      id: userId,
      title: expect.stringMatching(/^Person/),
      detail: 'invoicing@example.com',
      state: '',
    },
  ]);
});

test.each<[string, string, unknown[]]>([
  ['every word', 'due invoices', ['change_request Give invoices a due date']],
  ['words inside paths', 'terms.ts', []],
  ['a branch', 'due-date', ['change_request Give invoices a due date']],
  ['a part of a repository', 'shop', []],
  ['no word', '"!?', []],
  ['what could be a query', "x' | 'invoices:*", []],
  ['a wildcard', '%', []],
])('takes %s', async (_what, q, expected) => {
  const only = await titles(q, '&types=change_request,note');
  expect(only).toEqual(expected);
});

test('finds words inside of paths and names, in any case and script', async () => {
  await post('/sessions', { prompt: 'Look at src/Checkout/cartTotals.ts: “Ärger” mit 支払期限' });
  for (const q of ['checkout', 'carttotals ts', 'Ärger', '期限', 'src/Checkout'])
    expect([q, (await titles(q, '&types=session')).length]).toEqual([q, 1]);
  expect(await titles('heckout')).toEqual([]);
});

test('follows changes: titles, deleted and restored repositories, members who leave', async () => {
  const session = await post('/sessions', { prompt: 'y', title: 'Before' });
  await api.call('PATCH', `${org}/sessions/${session}`, { body: { title: 'Afterwards' } });
  expect([await titles('before'), await titles('afterwards')]).toEqual([[], ['session Afterwards']]);
  await api.call('DELETE', `${org}/sessions/${session}?force=true`);
  expect(await titles('afterwards')).toEqual([]);
  const gone = await post('/repositories', { provider: 'local', repo: 'acme/vanishing' });
  await api.call('DELETE', `${org}/repositories/${gone}`);
  expect(await titles('vanishing')).toEqual([]);
  await api.call('POST', `${org}/repositories/${gone}/restore`, { body: {} });
  expect(await titles('vanishing')).toEqual(['repository acme/vanishing']);
  const userId = await join(api, orgId, 'member', 'leaver@example.com');
  expect(await titles('leaver')).toHaveLength(1);
  await api.call('DELETE', `${org}/members/${userId}`);
  expect(await titles('leaver')).toEqual([]);
});

test('shows what the scopes of the caller read, and private notes to their owner alone', async () => {
  const [ada, bob] = await Promise.all(
    ['ada', 'bob'].map(async () => personalKey(api, orgId, await join(api, orgId, 'member'))),
  );
  await post('/knowledge/notes', { name: 'Secretive', trigger: 'x', body: 'x', scope: 'user' }, ada);
  await post('/knowledge/notes', { name: 'Secretive for all', trigger: 'x', body: 'x' }, ada);
  expect(await titles('secretive', '', ada)).toEqual(['note Secretive for all', 'note Secretive']);
  for (const key of [bob, api.adminKey]) expect(await titles('secretive', '', key)).toEqual(['note Secretive for all']);
  const types = async (scopes: string[]) =>
    new Set((await found('q=invoic', await api.keyWith(scopes))).map(({ type }) => type));
  expect(await types(['sessions:read'])).toEqual(new Set(['session', 'automation']));
  expect(await types(['repos:read', 'org:read'])).toEqual(new Set(['change_request', 'repository', 'member']));
  expect(await types(['secrets:read'])).toEqual(new Set());
  const other = await api.createOrganization('Other');
  const { json } = await api.call('GET', `/v3/organizations/${other.slug}/search?q=invoic`, { key: other.key });
  expect(json['items']).toEqual([]);
});

test.each(['', 'q=', `q=${'x'.repeat(201)}`, 'q=x&types=nothing'])('refuses %j', async (query) => {
  expect((await api.call('GET', `${org}/search?${query}`)).json['error']).toBe('invalid_request');
});

test('reads no whole table among many documents, of frequent and of rare words, new and old', async () => {
  const { kysely, pool } = api.ctx.db;
  const { id: other } = await api.createOrganization('Crowd');
  // Of 100,000 documents of two organizations, half have a word; it is rare in this one, and old.
  await pool.query(
    `insert into search_documents
     select o, 'session', 'ses_0' || lpad(n::text, 9, '0'),
       search_vector(search_scope(o, 'session', ''), 'task number ' || n || case when o <> $1 or n < 300 then ' crowded' else '' end)
     from generate_series(1, 50000) as n, unnest(array[$1, $2]) as o`,
    [orgId, other],
  );
  await pool.query('analyze search_documents');
  const place = { orgId, type: 'session' as const, owner: '' };
  for (const [text, count] of [
    ['crowded', 10],
    ['task', 10],
    ['task 49999', 1],
    ['ta num 499', 10],
    ['nowhere', 0],
  ] as const)
    await api.ctx.db.transaction(async (trx) => {
      await preferIndexes(trx);
      const query = (await parseQuery(trx, place, text)) ?? '';
      for (const select of [amongNewest(place, query, 10), amongAll(place, query, 10)]) {
        const { sql, parameters } = select.compile(kysely);
        const explained = CompiledQuery.raw(`explain ${sql}`, [...parameters]);
        const plan = await trx.executeQuery<{ 'QUERY PLAN': string }>(explained);
        expect(plan.rows.map((row) => row['QUERY PLAN']).join('\n')).not.toMatch(/Seq Scan/);
      }
      const { rows } = await amongAll(place, query, 10).execute(trx);
      if (text !== 'task') expect([text, rows.length]).toEqual([text, count]);
    });
  expect((await found('q=crowded&types=session')).length).toBe(0);
});
