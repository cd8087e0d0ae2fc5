import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { openStream, type StreamReader } from '../../../test/support/event-stream.ts';
import { join } from '../../../test/support/members.ts';
import { sessionIn, start } from '../../../test/support/session-states.ts';
import { issueSessionKey } from '../sessions/run/session-key-service.ts';
import { issueKey, ownerOf } from '../keys/service.ts';
import { scopes } from '../../lib/scopes.ts';
import { features } from '../index.ts';
import { eventType } from '../../outbox/event-type.ts';
import { isVisible } from './visibility.ts';

let api: TestApi;
let other: TestApi;
let orgId: string;
beforeAll(async () => {
  api = await startTestApi();
  other = await api.another();
  orgId = String((await api.call('GET', '/v3/organizations/default')).json['id']);
});
afterAll(async () => {
  await other.close();
  await api.close();
});

const org = '/v3/organizations/default';
const path = `${org}/events/stream`;
const within = { timeout: 20_000, interval: 50 };

function seen({ frames }: StreamReader): string[] {
  return frames.map(({ event }) => event);
}

/** Opens a stream that follows from now. */
async function follow(at: TestApi, options: Parameters<typeof openStream>[2] = {}, query = ''): Promise<StreamReader> {
  const stream = await openStream(at, `${path}${query}`, options);
  await expect.poll(() => stream.text(), within).toContain(': connected');
  return stream;
}

async function lastSeq(): Promise<number> {
  const { rows } = await api.ctx.db.pool.query<{ seq: number }>('select seq from outbox_heads where org_id = $1', [
    orgId,
  ]);
  return rows[0]?.seq ?? 0;
}

/** Creates a group, whose event shows that everything before it has come. */
async function mark(stream: StreamReader): Promise<void> {
  const group = await api.call('POST', `${org}/groups`, { body: { name: `mark ${Math.random()}` } });
  const id = String(group.json['id']);
  const came = () => stream.frames.some(({ data }) => Reflect.get(Object(data['resource']), 'id') === id);
  await expect.poll(came, within).toBe(true);
}

async function personWith(permission: 'admin' | 'member' | 'viewer'): Promise<{ id: string; key: string }> {
  const id = await join(api, orgId, permission);
  const owner = ownerOf(orgId, 'user', id);
  return { id, key: (await issueKey(api.ctx.db.kysely, { owner, name: 'x', scopes, now: new Date() })).key };
}

test('it is declared who may see each type of event', () => {
  const types = features.flatMap(({ audit = [], events = [] }) => [...audit.map(eventType), ...events]);
  expect(types.filter((type) => !isVisible(type))).toEqual([]);
});

describe('the stream of an organization', () => {
  test('has what happens from now on, in order, on every process', async () => {
    const streams = [await follow(api), await follow(other)];
    const { id } = await sessionIn(api, 'canceled');
    for (const stream of streams) {
      const frames = await stream.reaches(3);
      expect(new Set(frames.map(({ event }) => event))).toEqual(
        new Set(['session.created', 'session.status_changed', 'session.canceled']),
      );
      const [first] = frames;
      expect(first?.data).toEqual({
        seq: Number(first?.id),
        type: 'session.created',
        resource: { type: 'session', id },
        actor: { type: 'user', id: expect.stringMatching(/^usr_/), name: expect.any(String) },
        at: expect.stringMatching(/Z$/),
        summary: { repository_ids: [] },
      });
      const seqs = frames.map((frame) => Number(frame.id));
      expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
      await stream.leave();
    }
  });

  test('sends only the types that were asked for', async () => {
    const stream = await follow(api, {}, '?types=group.created,secret.*');
    await sessionIn(api, 'queued');
    await api.call('POST', `${org}/secrets`, { body: { key: `T${Date.now()}`, value: 'x' } });
    await mark(stream);
    expect(seen(stream)).toEqual(['secret.created', 'group.created']);
    await stream.leave();
    const answer = await api.call('GET', `${path}?types=nothing.such`);
    expect([answer.status, answer.json['error']]).toEqual([400, 'invalid_request']);
  });

  test('shows nobody what its scopes do not let it read', async () => {
    const keys = { none: await api.keyWith(['analytics:read']), groups: await api.keyWith(['org:read']) };
    const none = await follow(api, { key: keys.none });
    const groups = await follow(api, { key: keys.groups });
    await sessionIn(api, 'canceled');
    await mark(groups);
    // Those of the keys and their owners may follow too.
    expect(seen(groups).filter((type) => /^(session|group)\./.test(type))).toEqual(['group.created']);
    expect(none.frames).toEqual([]);
    await none.leave();
    await groups.leave();
  });

  test('shows private secrets and notes only to their owner', async () => {
    const person = await personWith('admin');
    const mine = await follow(api, { key: person.key });
    const theirs = await follow(api);
    const { key } = person;
    const secret = await api.call('POST', `${org}/secrets`, { key, body: { key: 'OWN', value: 'x', scope: 'user' } });
    const id = String(secret.json['id']);
    await api.call('PATCH', `${org}/secrets/${id}`, { key, body: { note: 'Other.' } });
    await api.call('PUT', `${org}/secrets/${id}`, { key, body: { value: 'y' } });
    await api.call('DELETE', `${org}/secrets/${id}`, { key });
    const note = { name: 'n', trigger: 't', body: 'b', scope: 'user' };
    const made = await api.call('POST', `${org}/knowledge/notes`, { key, body: note });
    const noteId = String(made.json['note_id']);
    await api.call('PATCH', `${org}/knowledge/notes/${noteId}`, { key, body: { body: 'c' } });
    await api.call('DELETE', `${org}/knowledge/notes/${noteId}`, { key });
    await mark(mine);
    await mark(theirs);
    expect(seen(mine).filter((type) => !type.startsWith('group'))).toEqual([
      'secret.created',
      'secret.updated',
      'secret.value_set',
      'secret.deleted',
      'knowledge_note.created',
      'knowledge_note.updated',
      'knowledge_note.deleted',
    ]);
    expect(new Set(seen(theirs))).toEqual(new Set(['group.created']));
    expect(JSON.stringify(mine.frames)).not.toContain('"owner"');
    await mine.leave();
    await theirs.leave();
  });

  test('is not for the key of a session', async () => {
    const { id } = await sessionIn(api, 'queued');
    const { key } = await issueSessionKey(api.ctx, await start(api, id));
    expect((await api.call('GET', path, { key })).status).toBe(403);
  });
});

test(
  'a stream that is not shown anything has a comment with the current number every 15 s',
  { timeout: 60_000 },
  async () => {
    const stream = await follow(api, { key: await api.keyWith(['analytics:read']) });
    const since = performance.now();
    const busy = setInterval(
      () => void api.call('POST', `${org}/groups`, { body: { name: `b ${Math.random()}` } }),
      500,
    );
    await expect.poll(() => stream.text(), { timeout: 25_000 }).toContain(': heartbeat');
    clearInterval(busy);
    expect(performance.now() - since).toBeGreaterThan(14_000);
    expect(stream.frames).toEqual([]);
    const [from, to] = [...stream.text().matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
    expect(to).toBeGreaterThan((from ?? 0) + 10);
    await stream.leave();
  },
);

describe('a lost connection', () => {
  test('resumes after the last event, on another process too', async () => {
    const first = await follow(api);
    await mark(first);
    await first.leave();
    const lastEventId = String(first.frames.at(-1)?.id);
    const { id } = await sessionIn(api, 'queued');
    for (const at of [other, api]) {
      const next = await openStream(at, path, { lastEventId });
      const [frame] = await next.reaches(1);
      expect(frame?.data).toMatchObject({ type: 'session.created', resource: { id } });
      expect(Number(frame?.id)).toBe(Number(lastEventId) + 1);
      await next.leave();
    }
  });

  test('resumes far behind, from the database', async () => {
    const before = await lastSeq();
    await api.ctx.db.pool.query(
      `insert into outbox_pending (org_id, type, resource_type, resource_id, actor_type, actor_id)
       select $1, 'group.updated', 'group', 'grp_' || n, 'system', '' from generate_series(1, 1500) n`,
      [orgId],
    );
    await expect.poll(lastSeq, within).toBe(before + 1_500);
    const stream = await openStream(api, path, { lastEventId: String(before) });
    const frames = await stream.reaches(1_500);
    expect(frames.map(({ id }) => Number(id))).toEqual(frames.map((_, at) => before + 1 + at));
    await stream.leave();
  });

  test('is told to start again when its events are no longer kept, or never were', async () => {
    const last = await lastSeq();
    const ahead = await openStream(api, path, { lastEventId: String(last + 1_000) });
    const [reset] = await ahead.reaches(1);
    expect([reset?.event, Number(reset?.id)]).toEqual(['reset', last]);
    await mark(ahead);
    await ahead.leave();
    await api.ctx.db.pool.query('delete from outbox_events where org_id = $1 and seq <= $2', [orgId, last - 10]);
    const behind = await openStream(other, path, { lastEventId: '1' });
    const [again] = await behind.reaches(1);
    expect(again?.event).toBe('reset');
    await behind.leave();
  });
});

describe('the end of a right', () => {
  test('ends the stream of a revoked key before another event', async () => {
    const person = await personWith('member');
    const stream = await follow(other, { key: person.key });
    expect((await api.call('DELETE', `${org}/members/${person.id}`)).status).toBe(204);
    const { id } = await sessionIn(api, 'queued');
    await stream.ended;
    expect(stream.text()).not.toContain(id);
  });

  test('ends the stream of a demoted member: what it may no longer read never comes', async () => {
    const person = await personWith('member');
    const stream = await follow(other, { key: person.key });
    await api.call('PATCH', `${org}/members/${person.id}`, { body: { permission: 'viewer' } });
    const { id } = await sessionIn(api, 'queued');
    await stream.ended;
    expect(stream.text()).not.toContain(id);
    // Its number is before the change, which must not end the stream again.
    const number = /^id: (\d+)$/m.exec(stream.text())?.[1] ?? '';
    const again = await openStream(other, path, { key: person.key, lastEventId: number });
    await expect.poll(() => again.text(), within).toContain(id);
    const later = await sessionIn(api, 'queued');
    await expect.poll(() => again.text(), within).toContain(later.id);
    await again.leave();
  });
});
