import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Caller } from '../../server/src/caller.ts';
import { openDatabase, type Database } from '../../server/src/db/pool.ts';
import { linkAll, startChainer } from '../../server/src/features/audit-logs/chain.ts';
import { mutate } from '../../server/src/mutation/mutate.ts';
import { createVerifier } from '../../server/src/features/audit-logs/verify.ts';
import { systemClock } from '../../server/src/lib/clock.ts';
import { createLog } from '../../server/src/lib/log.ts';
import { newId } from '../../server/src/lib/ids.ts';
import { spreadOf, type Spread } from './agents-figures.ts';
import { memoryMib, startProgram } from './processes.ts';
import { measureLag } from './audit-lag.ts';

export interface AuditOptions {
  connectionString: string;
  directory: string;
  entries: number;
  seconds: number;
  rounds: number;
  say: (line: string) => void;
}

export interface AuditFigures {
  /** Mutations per second at full speed, each in its own transaction. */
  mutations: { linked: number; alone: number; ratio: number };
  sustained: { wanted: number; perSecond: number; lagMs: Spread };
  linkedPerSecond: number;
  verify: { entries: number; seconds: number; brokenSeconds: number; found: boolean };
  exported: { entries: number; seconds: number; mib: number; growthMib: number; laterMib: number };
}

/** The number of concurrent mutations: about the size of two processes' pools. */
const atOnce = 32;
const wantedPerSecond = 2_000;

/** Measures the cost of the audit log for writers, and how fast the whole log is read. */
export async function benchAudit(options: AuditOptions): Promise<AuditFigures> {
  const { connectionString, directory, entries, seconds, rounds, say } = options;
  const data = mkdtempSync(join(directory, 'audit-'));
  const api = await startProgram(
    'server/src/main.ts',
    ['--role', 'api', '--port', '0', '--data', data, '--json'],
    { DATABASE_URL: connectionString },
    join(directory, 'audit.log'),
  );
  const key = readFileSync(join(data, 'admin-key'), 'utf8').trim();
  // It bootstrapped the database; from here on only this process writes, and the first chainer is ours.
  await api.stop();
  const db = openDatabase({ connectionString, maxConnections: atOnce + 4, applicationName: 'bench audit' });
  const log = createLog('warn');
  const ctx = { db, clock: systemClock, log };
  try {
    const orgId = await firstOrganization(db);
    const caller = callerOf(orgId);
    say(`mutations, ${atOnce} at once, with and without the chainer`);
    const mutations = await compareRates(ctx, caller, seconds, rounds);
    say(`${wantedPerSecond.toLocaleString('en')} mutations a second`);
    await linkAll(ctx);
    const stop = startChainer(ctx);
    const sustained = await sustain(ctx, caller, seconds * 2);
    await stop();
    say(`filling up to ${entries.toLocaleString('en')} entries`);
    const linkedPerSecond = await fill(ctx, orgId, entries);
    say('verifying');
    const verify = await benchVerify(ctx, orgId);
    say('exporting');
    const exported = await benchExport({ ...options, data, key });
    return { mutations, sustained, linkedPerSecond, verify, exported };
  } finally {
    await db.close();
  }
}

async function firstOrganization(db: Database): Promise<string> {
  const { rows } = await db.pool.query<{ id: string }>(`select id from organizations where slug = 'default'`);
  return rows[0]?.id ?? '';
}

function callerOf(orgId: string): Caller {
  return {
    organization: { id: orgId, slug: 'default', name: 'Default', state: 'active' },
    principal: { type: 'user', id: 'usr_bench', name: 'Bench', email: 'bench@localhost' },
    scopes: new Set(),
    permission: 'admin',
    role: 'regular',
    credential: undefined,
    request: { id: 'req_bench', ip: '192.0.2.1', userAgent: 'bench/1' },
  };
}

type MutationContext = { db: Database; clock: typeof systemClock };

/** Runs one mutation as the API does: a row, its audit entry, one commit. Returns the row's id. */
async function change(ctx: MutationContext, caller: Caller): Promise<string> {
  return mutate(ctx, caller, async (trx, audit) => {
    const now = ctx.clock.now();
    const id = newId('svc', now.getTime());
    const row = {
      id,
      org_id: caller.organization.id,
      name: 'bench',
      description: '',
      created_at: now,
      updated_at: now,
    };
    await trx.insertInto('service_users').values(row).execute();
    audit({ action: 'service_user.create', resource: { type: 'service_user', id }, changes: { name: 'bench' } });
    return id;
  });
}

async function compareRates(
  ctx: MutationContext & { log: ReturnType<typeof createLog> },
  caller: Caller,
  seconds: number,
  rounds: number,
) {
  await rate(ctx, caller, 1);
  const linked: number[] = [];
  const alone: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    alone.push(await rate(ctx, caller, seconds));
    await linkAll(ctx);
    const stop = startChainer(ctx);
    linked.push(await rate(ctx, caller, seconds));
    await stop();
    await linkAll(ctx);
  }
  const [one, other] = [middle(linked), middle(alone)];
  return { linked: one, alone: other, ratio: one / other };
}

async function rate(ctx: MutationContext, caller: Caller, seconds: number): Promise<number> {
  let done = 0;
  const begun = performance.now();
  const until = begun + seconds * 1_000;
  const worker = async (): Promise<void> => {
    while (performance.now() < until) {
      await change(ctx, caller);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return done / ((performance.now() - begun) / 1_000);
}

/**
 * Runs the wanted number of mutations per second, or as many as possible, and measures how long each waits for its
 * link.
 */
async function sustain(ctx: MutationContext, caller: Caller, seconds: number): Promise<AuditFigures['sustained']> {
  const lag = measureLag(ctx.db);
  const begun = performance.now();
  const until = begun + seconds * 1_000;
  let started = 0;
  let done = 0;
  const worker = async (): Promise<void> => {
    while (performance.now() < until) {
      const due = ((performance.now() - begun) / 1_000) * wantedPerSecond;
      if (started >= due) {
        await delay(1);
        continue;
      }
      started += 1;
      const id = await change(ctx, caller);
      done += 1;
      lag.committed(id);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  const perSecond = done / ((performance.now() - begun) / 1_000);
  return { wanted: wantedPerSecond, perSecond, lagMs: spreadOf(await lag.end()) };
}

/** Extends the chain to `count` entries; returns the entries linked per second. */
async function fill(ctx: MutationContext, orgId: string, count: number): Promise<number> {
  const { rows } = await ctx.db.pool.query<{ n: number }>('select count(*) as n from audit_entries where org_id = $1', [
    orgId,
  ]);
  const missing = Math.max(0, count - (rows[0]?.n ?? 0));
  for (let from = 0; from < missing; from += 50_000)
    await ctx.db.pool.query(
      `insert into audit_entries (id, org_id, action, actor_type, actor_id, actor_display, resource_type, resource_id, outcome,
         ip, user_agent, request_id, changes, created_at)
       select 'aud_' || lpad(to_hex(n), 26, 'z'), $1, 'session.create', 'user', 'usr_1', 'ada@example.com', 'session',
         'ses_' || n, 'success', '192.0.2.7', 'Mozilla/5.0 (X11; Linux x86_64)', 'req_' || n,
         jsonb_build_object('title', 'Fix the parser ' || n, 'tags', jsonb_build_array('nightly', 'core'), 'n', n),
         date_trunc('milliseconds', clock_timestamp())
       from generate_series($2::int, $3::int) as n`,
      [orgId, from, Math.min(missing, from + 50_000) - 1],
    );
  const begun = performance.now();
  await linkAll(ctx);
  const perSecond = missing / ((performance.now() - begun) / 1_000);
  for (const table of ['audit_entries', 'audit_chain', 'audit_pending'])
    await ctx.db.pool.query(`vacuum analyze ${table}`);
  return perSecond;
}

async function benchVerify(ctx: MutationContext, orgId: string): Promise<AuditFigures['verify']> {
  const verify = createVerifier(ctx);
  const timed = async () => {
    const begun = performance.now();
    const result = await verify(orgId);
    return { result, seconds: (performance.now() - begun) / 1_000 };
  };
  const whole = await timed();
  if (!whole.result.valid) throw new Error(`the chain breaks: ${JSON.stringify(whole.result)}`);
  const at = whole.result.checked - 1;
  const plant = async (from: string, to: string): Promise<void> => {
    const client = await ctx.db.pool.connect();
    try {
      // Simulates an attacker who may disable the database's own protection.
      await client.query('set session_replication_role = replica');
      await client.query(
        `update audit_entries set action = $3 where action = $2
           and id = (select entry_id from audit_chain where org_id = $1 and seq = $4)`,
        [orgId, from, to, at],
      );
    } finally {
      client.release(true);
    }
  };
  await plant('session.create', 'session.cancel');
  const broken = await timed();
  await plant('session.cancel', 'session.create');
  return {
    entries: whole.result.checked,
    seconds: whole.seconds,
    brokenSeconds: broken.seconds,
    found: broken.result.first_break?.seq === at,
  };
}

/** Exports everything from a separate server to a client that reads at full speed, and watches the server's memory. */
async function benchExport(options: AuditOptions & { data: string; key: string }): Promise<AuditFigures['exported']> {
  const { connectionString, directory, data, key, entries } = options;
  const api = await startProgram(
    'server/src/main.ts',
    ['--role', 'api', '--port', '0', '--data', data, '--json'],
    { DATABASE_URL: connectionString },
    join(directory, 'audit.log'),
  );
  try {
    const get = (tail: string) =>
      fetch(`${String(api.ready['url'])}/v3/organizations/default/audit-logs${tail}`, {
        headers: { authorization: `Bearer ${key}` },
      });
    await (await get('/export?action=none')).text();
    const before = memoryMib(api.pid);
    let most = before;
    let mostByHalf = before;
    const watch = setInterval(() => (most = Math.max(most, memoryMib(api.pid))), 50);
    const begun = performance.now();
    let lines = 0;
    let bytes = 0;
    const { body } = await get('/export');
    for await (const chunk of body ?? []) {
      bytes += chunk.length;
      for (const byte of chunk) if (byte === 10) lines += 1;
      if (lines < entries / 2) mostByHalf = most;
    }
    clearInterval(watch);
    const seconds = (performance.now() - begun) / 1_000;
    return { entries: lines, seconds, mib: bytes / 2 ** 20, growthMib: most - before, laterMib: most - mostByHalf };
  } finally {
    await api.stop();
  }
}

function middle(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
