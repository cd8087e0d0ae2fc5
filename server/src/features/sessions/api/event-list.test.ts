import { array, assert, asyncProperty, constantFrom, integer, option, record, stringMatching } from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../../test/support/api.ts';
import { sessionIn } from '../../../../test/support/session-states.ts';
import { append, type Run } from '../run/run-service.ts';
import type { NewEvent } from '../schemas/event-schemas.ts';
import { maxSpread } from './event-search-service.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

interface Listed {
  seq: number;
  seq_from?: number;
  kind: string;
  data: Record<string, string | undefined>;
}

interface Listing {
  items: Listed[];
  pages: number;
}

async function running(): Promise<{ id: string; path: string; run: Run }> {
  const { id, path, run } = await sessionIn(api, 'running');
  if (run === undefined) throw new Error('nothing runs');
  return { id, path, run };
}

function output(text: string, more: { command_id?: string; stream?: 'stdout' | 'stderr' } = {}): NewEvent {
  return { kind: 'output', data: { command_id: 'c', call_id: '', stream: 'stdout', text, ...more } };
}

function delta(text: string, message_id = 'm'): NewEvent {
  return { kind: 'message', data: { message_id, role: 'agent', delta: text, done: false, state: 'delivered' } };
}

async function page(path: string, query: string) {
  const { status, json, headers, text } = await api.call('GET', `${path}/events?${query}`);
  const items: Listed[] = Array.isArray(json['items']) ? json['items'] : [];
  return { status, json, headers, text, items };
}

/** Reads a list to its end, in the order of its pages. */
async function listed(path: string, query: string): Promise<Listing> {
  const items: Listed[] = [];
  for (let after = '', pages = 1; ; pages += 1) {
    const next = await page(path, `${query}&after=${after}`);
    expect([query, next.status]).toEqual([query, 200]);
    items.push(...(query.includes('before_seq') ? next.items.toReversed() : next.items));
    if (next.json['has_next_page'] !== true) return { items, pages };
    after = String(next.json['end_cursor']);
    expect(after).not.toBe('');
  }
}

async function forwards(path: string, query = 'first=200'): Promise<Listed[]> {
  return (await listed(path, query)).items;
}

async function backwards(path: string, query = 'first=200'): Promise<Listed[]> {
  return (await listed(path, `${query}&before_seq=1000000`)).items.toReversed();
}

const text = stringMatching(/^[aAb]{0,4}$/);
const drawn = record({ what: constantFrom('say', 'say', 'write', 'write', 'warn'), id: constantFrom('1', '2'), text });

function eventOf({ what, id, text: body }: { what: string; id: string; text: string }): NewEvent {
  if (what === 'say') return delta(body, id);
  if (what === 'write') return output(body, { command_id: id });
  return { kind: 'warning', data: { code: 'x', message: body } };
}

/** Returns the numbers of the events that a search should find: a match ends in them. */
function expectedIn(events: readonly Listed[], needle: string): number[] {
  return events
    .filter(({ kind, seq, data }, index) => {
      const body = data['delta'] ?? data['text'] ?? data['message'] ?? data['status_detail'] ?? '';
      const key = (one: Listed): string => JSON.stringify([one.kind, one.data['message_id'], one.data['command_id']]);
      const isPiece = kind === 'message' || kind === 'output';
      const own = events.slice(0, index).filter((one) => isPiece && key(one) === key({ kind, seq, data }));
      const before = own
        .filter((one) => one.seq >= seq - maxSpread)
        .map((one) => one.data['delta'] ?? one.data['text'] ?? '')
        .join('');
      const whole = (before + body).toLowerCase();
      return whole.indexOf(needle.toLowerCase(), Math.max(0, before.length - needle.length + 1)) >= 0;
    })
    .map(({ seq }) => seq);
}

describe('the list', () => {
  test(
    'is the same read backwards, in pages of any size, of any kinds, searched, and compact',
    { timeout: 120_000 },
    async () => {
      const query = record({
        first: integer({ min: 1, max: 30 }),
        kind: constantFrom('', 'message', 'output,warning', 'warning,status,message'),
        search: option(stringMatching(/^[aAb]{1,6}$/)),
      });
      await assert(
        asyncProperty(
          array(drawn, { minLength: 1, maxLength: 60 }),
          array(query, { minLength: 4, maxLength: 4 }),
          async (events, queries) => {
            const { path, run } = await running();
            await append(api.ctx, run, events.map(eventOf));
            const all = await forwards(path);
            for (const { first, kind, search } of queries) {
              const filter = `${kind === '' ? '' : `&kind=${kind}`}${search === null ? '' : `&search=${search}`}`;
              const one = await forwards(path, `first=${first}${filter}`);
              expect(await backwards(path, `first=${first}${filter}`)).toEqual(one);
              const ofKinds = all.filter((event) => kind === '' || kind.split(',').includes(event.kind));
              expect(one.map(({ seq }) => seq)).toEqual(
                search === null ? ofKinds.map(({ seq }) => seq) : expectedIn(ofKinds, search),
              );
              const compact = await forwards(path, `first=${first}${filter}&compact=true`);
              const back = await backwards(path, `first=${first}${filter}&compact=true`);
              for (const items of [compact, back]) expect(textOf(items)).toBe(textOf(one));
            }
          },
        ),
        { numRuns: 15 },
      );
    },
  );

  test('finds a text that is spread over events, also over the borders of a batch', async () => {
    const { path, run } = await running();
    const word = 'needle';
    const places = Array.from({ length: 9 }, (_, index) => 40 + index * 80);
    const events = Array.from({ length: 800 }, (_, index) => {
      const place = places.find((one) => index >= one && index < one + word.length);
      return place === undefined ? output('hay') : output((word[index - place] ?? '').toUpperCase());
    });
    const before = Number((await api.call('GET', path)).json['last_seq']);
    for (let at = 0; at < events.length; at += 100) await append(api.ctx, run, events.slice(at, at + 100));
    const expected = places.map((place) => before + place + word.length);
    expect((await forwards(path, 'search=Needle')).map(({ seq }) => seq)).toEqual(expected);
    expect((await backwards(path, 'search=Needle')).map(({ seq }) => seq)).toEqual(expected);
    const { json } = await page(path, 'search=Needle&first=2');
    expect(json).toMatchObject({ has_next_page: true, scan: { complete: true, seq: expected[1] } });
    const last = await page(path, 'search=nowhere');
    expect(last.json).toEqual({
      items: [],
      end_cursor: '',
      has_next_page: false,
      total: 0,
      scan: { complete: true, seq: before + 800 },
    });
  });

  test('searches what a reader sees, not the names of fields and ids', async () => {
    const { path, run } = await running();
    await append(api.ctx, run, [
      { kind: 'tool_call', data: { call_id: 'k1', name: 'read', title: 'Read a', input: { path: 'src/"x".ts' } } },
      { kind: 'tool_result', data: { call_id: 'k1', ok: true, output: '100% of\nit', artifact_id: null } },
      { kind: 'file_change', data: { path: 'src/é.ts', change: 'added', additions: 1, deletions: 0, call_id: 'k1' } },
    ]);
    const seqs = async (search: string) =>
      (await forwards(path, `search=${encodeURIComponent(search)}`)).map(({ kind }) => kind);
    expect(await seqs('src/"X"')).toEqual(['tool_call']);
    expect(await seqs('src/')).toEqual(['tool_call', 'file_change']);
    expect(await seqs('100% OF\nit')).toEqual(['tool_result']);
    expect(await seqs('_it')).toEqual([]);
    expect(await seqs('k1')).toEqual([]);
    expect(await seqs('artifact_id')).toEqual([]);
  });

  test('has a part of the log between two numbers, oldest first', async () => {
    const { path, run } = await running();
    await append(
      api.ctx,
      run,
      Array.from({ length: 20 }, (_, index) => output(String(index))),
    );
    const last = Number((await api.call('GET', path)).json['last_seq']);
    const part = await page(path, `after_seq=3&before_seq=9`);
    expect(part.items.map(({ seq }) => seq)).toEqual([4, 5, 6, 7, 8]);
    expect(part.json).toMatchObject({ total: 5, has_next_page: false });
    const tail = await page(path, `before_seq=${last + 100}&first=3`);
    expect(tail.items.map(({ seq }) => seq)).toEqual([last - 2, last - 1, last]);
    expect(tail.json).toMatchObject({ total: last, has_next_page: true });
    const before = await page(path, `before_seq=${last + 100}&first=3&after=${String(tail.json['end_cursor'])}`);
    expect(before.items.map(({ seq }) => seq)).toEqual([last - 5, last - 4, last - 3]);
    expect((await page(path, 'before_seq=1')).json).toMatchObject({ items: [], total: 0, has_next_page: false });
    expect((await page(path, 'after_seq=8&before_seq=5')).items).toEqual([]);
    expect((await page(path, 'kind=output&first=5')).json).toMatchObject({ total: 20, has_next_page: true });
  });

  test('may be cached where it cannot change, by one credential only', async () => {
    const { path, run } = await running();
    const last = Number((await api.call('GET', path)).json['last_seq']);
    const cached = async (query: string) => (await page(path, query)).headers.get('cache-control');
    const final = 'private, max-age=86400, immutable';
    const full = await page(path, `after_seq=0&before_seq=${last + 1}&compact=true`);
    expect(full.headers.get('cache-control')).toBe(final);
    expect(full.headers.get('vary')).toBe('authorization, cookie, x-guildhall-organization, accept-encoding');
    await append(api.ctx, run, [output('more')]);
    expect((await page(path, `after_seq=0&before_seq=${last + 1}&compact=true`)).text).toBe(full.text);
    for (const query of ['', 'after_seq=1', `before_seq=${last + 3}`, 'kind=status', 'search=working'])
      expect([query, await cached(query)]).toEqual([query, 'no-store']);
    expect(await cached(`before_seq=${last + 2}&search=more`)).toBe(final);
  });

  test.each([
    'before_seq=0',
    'before_seq=x',
    'kind=nothing',
    'kind=',
    'search=',
    `search=${'x'.repeat(201)}`,
    'compact=7',
  ])('%s is 400', async (query) => {
    const { path } = await sessionIn(api, 'queued');
    expect(await page(path, query)).toMatchObject({ status: 400, json: { error: 'invalid_request' } });
  });

  test('rejects the cursor of another direction or search', async () => {
    const { path } = await running();
    const { json } = await page(path, 'first=1&search=o');
    for (const query of ['first=1', 'first=1&search=p', 'before_seq=9&search=o'])
      expect(await page(path, `${query}&after=${String(json['end_cursor'])}`)).toMatchObject({
        status: 400,
        json: { error: 'invalid_cursor' },
      });
  });
});

function textOf(items: readonly Listed[]): string {
  return items.map(({ data }) => data['delta'] ?? data['text'] ?? data['message'] ?? '').join('');
}
