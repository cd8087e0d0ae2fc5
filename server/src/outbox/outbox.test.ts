import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../test/support/api.ts';
import { sessionIn, start, take } from '../../test/support/session-states.ts';
import type { Context } from '../app/context.ts';
import { finish, release } from '../features/sessions/run/run-service.ts';
import { createLog } from '../lib/log.ts';
import { recordSystemAct, type AuditFact } from '../mutation/mutate.ts';
import type { Consumer } from './consumer.ts';
import { deleteOldEvents, retentionMs, startOutbox } from './outbox.ts';

let api: TestApi;
let other: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  other = await api.another();
  await api.ctx.db.pool.query('create table handled (n serial, consumer text, org_id text, seq bigint, id text)');
});
afterAll(async () => {
  await other.close();
  await api.close();
});

interface Stored {
  seq: number;
  type: string;
  resource_type: string;
  resource_id: string;
  actor_type: string;
  actor_id: string;
  data: Record<string, unknown>;
}

async function eventsOf(orgId: string): Promise<Stored[]> {
  const { rows } = await api.ctx.db.pool.query<Stored>(
    `select seq, type, resource_type, resource_id, actor_type, actor_id, data from outbox_events where org_id = $1 order by seq`,
    [orgId],
  );
  return rows;
}

async function idsOf(orgId: string): Promise<string[]> {
  return (await eventsOf(orgId)).filter(({ type }) => type === 'session.archived').map(({ resource_id: id }) => id);
}

type Trx = Parameters<Parameters<Context['db']['transaction']>[0]>[0];

async function act(trx: Trx, orgId: string, id: string): Promise<void> {
  const fact: AuditFact = { action: 'session.archive', resource: { type: 'session', id } };
  await recordSystemAct(trx, orgId, 'upkeep', fact, new Date());
}

async function actAlone(orgId: string, id: string): Promise<void> {
  await api.ctx.db.transaction((trx) => act(trx, orgId, id));
}

/** Creates a consumer that records its events, in its transaction. */
function noting(name: string, then: (trx: Trx) => Promise<void> = async () => undefined): Consumer<Context> {
  return {
    name,
    types: ['session.archived'],
    handle: async (_ctx, trx, events) => {
      for (const { orgId, seq, resource } of events)
        await sql`insert into handled (consumer, org_id, seq, id) values (${name}, ${orgId}, ${seq}, ${resource.id})`.execute(
          trx,
        );
      await then(trx);
    },
  };
}

async function handledBy(name: string): Promise<string[]> {
  const { rows } = await api.ctx.db.pool.query<{ id: string }>(
    'select id from handled where consumer = $1 order by n',
    [name],
  );
  return rows.map(({ id }) => id);
}

async function cursorOf(name: string): Promise<{ failures: number; problem: string; waits: boolean } | undefined> {
  const { rows } = await api.ctx.db.pool.query<{ failures: number; problem: string; waits: boolean }>(
    'select failures, problem, retry_at is not null as waits from outbox_cursors where name = $1',
    [name],
  );
  return rows[0];
}

const within = { timeout: 20_000, interval: 50 };

describe('what is published', () => {
  test('is each change of an organization, with who made it and without what is secret', async () => {
    const { id: orgId, slug, key } = await api.createOrganization('Published');
    const path = `/v3/organizations/${slug}/secrets`;
    const secret = await api.call('POST', path, { key, body: { key: 'TOKEN', value: 'hush-hush-hush' } });
    expect(secret.status).toBe(201);
    const id = String(secret.json['id']);
    expect((await api.call('PATCH', `${path}/${id}`, { key, body: { note: 'Mine alone.' } })).status).toBe(200);
    await expect.poll(async () => (await eventsOf(orgId)).length, within).toBe(3);
    const events = await eventsOf(orgId);
    expect(events.map(({ seq, type, resource_id: of }) => [seq, type, of])).toEqual([
      [1, 'organization.created', orgId],
      [2, 'secret.created', id],
      [3, 'secret.updated', id],
    ]);
    const { rows } = await api.ctx.db.pool.query('select actor_type, actor_id from audit_entries where org_id = $1', [
      orgId,
    ]);
    expect(events.map(({ actor_type, actor_id }) => ({ actor_type, actor_id }))).toEqual(rows);
    expect(rows[0]).toMatchObject({ actor_type: 'user', actor_id: expect.stringMatching(/^usr_/) });
    expect(JSON.stringify(events)).not.toMatch(/hush|Mine alone/);
  });

  test('is not what was refused', async () => {
    const { id: orgId, slug, key } = await api.createOrganization('Refused');
    const answer = await api.call('POST', `/v3/organizations/${slug}/sessions`, { key, body: { prompt: ' ' } });
    expect(answer.status).toBe(400);
    await actAlone(orgId, 'ses_after');
    await expect
      .poll(async () => (await eventsOf(orgId)).map(({ type }) => type), within)
      .toEqual(['organization.created', 'session.archived']);
  });

  test('is each change of a session, whoever makes it', async () => {
    const { id, path } = await sessionIn(api, 'queued');
    const run = await start(api, id);
    await finish(api.ctx, run, {
      status: 'waiting',
      status_detail: 'awaiting_user',
      sandbox_state: 'none',
      sandboxSeconds: 1,
    });
    expect((await api.call('POST', `${path}/messages`, { body: { content: 'Go on.' } })).status).toBe(202);
    // Releases the session: nothing visible has changed.
    await release(api.ctx, await take(api, id));
    expect((await api.call('POST', `${path}/cancel`)).status).toBe(200);
    expect((await api.call('DELETE', path)).status).toBe(204);
    const { rows } = await api.ctx.db.pool.query<{ id: string }>("select id from organizations where slug = 'default'");
    const seen = async () =>
      (await eventsOf(rows[0]?.id ?? ''))
        .filter(({ resource_id: of }) => of === id)
        .map(({ type, actor_type: by, data }) => [
          type,
          by,
          data['status'],
          data['status_detail'],
          data['previous_status'],
        ]);
    await expect.poll(async () => (await seen()).at(-1)?.[0], within).toBe('session.deleted');
    const changed = (await seen()).filter(([type]) => type === 'session.status_changed');
    expect(changed).toEqual([
      ['session.status_changed', 'session', 'provisioning', '', 'queued'],
      ['session.status_changed', 'session', 'running', 'working', 'provisioning'],
      ['session.status_changed', 'session', 'waiting', 'awaiting_user', 'running'],
      ['session.status_changed', 'user', 'running', 'working', 'waiting'],
      ['session.status_changed', 'user', 'canceled', 'user_request', 'running'],
    ]);
  });
});

describe('the order', () => {
  test('is that of the commits: what commits late comes later, and no reader skips it', async () => {
    const { id: orgId } = await api.createOrganization('Late');
    const consumer = noting('late');
    const stop = await startOutbox(api.ctx, [consumer]);
    let commit: () => void = () => undefined;
    const mayCommit = new Promise<void>((resolve) => {
      commit = resolve;
    });
    let written: () => void = () => undefined;
    const isWritten = new Promise<void>((resolve) => {
      written = resolve;
    });
    const late = api.ctx.db.transaction(async (trx) => {
      await act(trx, orgId, 'ses_late');
      written();
      await mayCommit;
    });
    await isWritten;
    await actAlone(orgId, 'ses_early');
    await expect.poll(() => handledBy('late'), within).toEqual(['ses_early']);
    commit();
    await late;
    await expect.poll(() => handledBy('late'), within).toEqual(['ses_early', 'ses_late']);
    expect(await idsOf(orgId)).toEqual(['ses_early', 'ses_late']);
    await stop();
  });

  test('is without gaps for each organization, whatever others do at the same time', async () => {
    const [one, two] = [await api.createOrganization('One'), await api.createOrganization('Two')];
    const acts = Array.from({ length: 60 }, (_, n) => actAlone(n % 3 === 0 ? one.id : two.id, `ses_${n}`));
    await Promise.all(acts);
    await expect
      .poll(async () => [(await idsOf(one.id)).length, (await idsOf(two.id)).length], within)
      .toEqual([20, 40]);
    for (const [org, n] of [
      [one, 21],
      [two, 41],
    ] as const) {
      const events = await eventsOf(org.id);
      expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: n }, (_, index) => index + 1));
    }
    expect((await idsOf(one.id)).every((id) => Number(id.slice(4)) % 3 === 0)).toBe(true);
  });
});

describe('a consumer', () => {
  test('that dies before its cursor moved is given the same again, and what it wrote is there once', async () => {
    const { id: orgId } = await api.createOrganization('Dies');
    let deaths = 0;
    const consumer = noting('dies', async (trx) => {
      if (deaths === 2) return;
      deaths += 1;
      await sql`select pg_terminate_backend(pg_backend_pid())`.execute(trx);
    });
    const stop = await startOutbox(api.ctx, [consumer]);
    for (const id of ['ses_1', 'ses_2', 'ses_3']) await actAlone(orgId, id);
    await expect.poll(() => handledBy('dies'), within).toEqual(['ses_1', 'ses_2', 'ses_3']);
    expect(deaths).toBe(2);
    await expect.poll(() => cursorOf('dies'), within).toEqual({ failures: 0, problem: '', waits: false });
    await stop();
  });

  test('that fails is tried again later and keeps no other one waiting', async () => {
    const { id: orgId } = await api.createOrganization('Fails');
    let isBroken = true;
    const failing = noting('failing', async () => {
      if (isBroken) throw new Error('it is broken');
    });
    const stop = await startOutbox(api.ctx, [failing, noting('sound')]);
    await actAlone(orgId, 'ses_1');
    await expect.poll(() => handledBy('sound'), within).toEqual(['ses_1']);
    await expect.poll(async () => ((await cursorOf('failing'))?.failures ?? 0) > 1, within).toBe(true);
    expect(await cursorOf('failing')).toMatchObject({ problem: 'it is broken', waits: true });
    await actAlone(orgId, 'ses_2');
    await expect.poll(() => handledBy('sound'), within).toEqual(['ses_1', 'ses_2']);
    expect(await handledBy('failing')).toEqual([]);
    isBroken = false;
    await expect.poll(() => handledBy('failing'), within).toEqual(['ses_1', 'ses_2']);
    await stop();
  });

  test('says nothing of its own when it fails because of the database, as all others do', async () => {
    const { id: orgId } = await api.createOrganization('Outage');
    const directory = await mkdtemp(join(tmpdir(), 'guildhall-outbox-'));
    const file = await open(join(directory, 'log'), 'w+');
    const names = ['away-1', 'away-2', 'away-3'];
    const consumers = names.map((name) =>
      noting(name, async () => {
        throw Object.assign(new Error('terminating connection'), { code: '57P01' });
      }),
    );
    const stop = await startOutbox({ ...api.ctx, log: createLog('warn', file.fd) }, consumers);
    await actAlone(orgId, 'ses_1');
    for (const name of names)
      await expect.poll(async () => (await cursorOf(name))?.failures ?? 0, within).toBeGreaterThan(0);
    await stop();
    const lines = (await readFile(join(directory, 'log'), 'utf8')).split('\n').filter((line) => line !== '');
    expect(lines.filter((line) => !line.includes('domain events wait for the database'))).toEqual([]);
    expect(lines.length).toBeLessThan(2);
    await file.close();
    await rm(directory, { recursive: true });
  });

  test('of two processes is one at a time, and handles each event once and in order', async () => {
    const { id: orgId } = await api.createOrganization('Processes');
    let [active, most] = [0, 0];
    const consumer = noting('shared');
    const counted: Consumer<Context> = {
      ...consumer,
      handle: async (ctx, trx, events) => {
        active += 1;
        most = Math.max(most, active);
        await consumer.handle(ctx, trx, events);
        active -= 1;
      },
    };
    const stops = [await startOutbox(api.ctx, [counted]), await startOutbox(other.ctx, [counted])];
    const ids = Array.from({ length: 250 }, (_, n) => `ses_${n}`);
    for (let at = 0; at < ids.length; at += 25)
      await Promise.all(ids.slice(at, at + 25).map((id) => actAlone(orgId, id)));
    await expect.poll(async () => (await handledBy('shared')).length, within).toBe(250);
    expect(await handledBy('shared')).toEqual(await idsOf(orgId));
    expect(most).toBe(1);
    for (const stop of stops) await stop();
  });

  test('shares its transaction with the others of its process, and gets only events of its types', async () => {
    const { id: orgId } = await api.createOrganization('Shares');
    const seen: { name: string; transaction: string; types: string[] }[] = [];
    const telling = (name: string, types: string[]): Consumer<Context> => ({
      name,
      types,
      handle: async (_ctx, trx, events) => {
        const { rows } = await sql<{ id: string }>`select pg_current_xact_id()::text as id`.execute(trx);
        seen.push({ name, transaction: rows[0]?.id ?? '', types: events.map(({ type }) => type) });
      },
    });
    const [archives, secrets] = ['session.archived', 'secret.created'];
    const stop = await startOutbox(api.ctx, [telling('one', [archives]), telling('two', [archives, secrets])]);
    await actAlone(orgId, 'ses_1');
    await expect
      .poll(() => seen.map(({ name, types }) => [name, types]), within)
      .toEqual([
        ['one', [archives]],
        ['two', [archives]],
      ]);
    expect(seen[0]?.transaction).toBe(seen[1]?.transaction);
    await stop();
  });

  test('begins with what happens after it was first started, and goes on where it stopped', async () => {
    const { id: orgId } = await api.createOrganization('Begins');
    await actAlone(orgId, 'ses_before');
    await expect.poll(() => idsOf(orgId), within).toEqual(['ses_before']);
    await (
      await startOutbox(api.ctx, [noting('new')])
    )();
    await actAlone(orgId, 'ses_between');
    const stop = await startOutbox(api.ctx, [noting('new')]);
    await expect.poll(() => handledBy('new'), within).toEqual(['ses_between']);
    await stop();
  });
});

describe('old events', () => {
  const later = (ms: number) => ({ ...api.ctx, clock: { now: () => new Date(Date.now() + ms) } });
  const dayMs = 24 * 60 * 60_000;

  test('stay until every consumer has handled them, and go then', async () => {
    const { id: orgId } = await api.createOrganization('Old');
    await (
      await startOutbox(api.ctx, [noting('slow')])
    )();
    await actAlone(orgId, 'ses_old');
    await expect.poll(() => idsOf(orgId), within).toEqual(['ses_old']);
    await deleteOldEvents(later(retentionMs + 60_000), [noting('slow')]);
    expect(await idsOf(orgId)).toEqual(['ses_old']);
    const stop = await startOutbox(api.ctx, [noting('slow')]);
    await expect.poll(() => handledBy('slow'), within).toEqual(['ses_old']);
    await stop();
    await deleteOldEvents(later(retentionMs - 60_000), [noting('slow')]);
    expect(await idsOf(orgId)).toEqual(['ses_old']);
    await api.ctx.db.pool.query("delete from outbox_cursors where name not in ('slow')");
    await deleteOldEvents(later(retentionMs + 60_000), [noting('slow')]);
    expect(await idsOf(orgId)).toEqual([]);
    // The next event has the next number.
    await actAlone(orgId, 'ses_next');
    await expect.poll(async () => (await eventsOf(orgId)).map(({ seq }) => seq), within).toEqual([3]);
  });

  test('are not kept for a consumer that is no more', async () => {
    const { id: orgId } = await api.createOrganization('Retired');
    await (
      await startOutbox(api.ctx, [noting('retired')])
    )();
    await actAlone(orgId, 'ses_old');
    await expect.poll(() => idsOf(orgId), within).toEqual(['ses_old']);
    await deleteOldEvents(later(6 * dayMs), [noting('slow')]);
    expect([await cursorOf('retired'), await idsOf(orgId)]).toMatchObject([{ failures: 0 }, ['ses_old']]);
    await deleteOldEvents(later(8 * dayMs), [noting('slow')]);
    expect(await cursorOf('retired')).toBeUndefined();
  });
});
