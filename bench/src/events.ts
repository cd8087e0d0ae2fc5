import { openDatabase } from '../../server/src/db/pool.ts';
import { append, claim } from '../../server/src/features/sessions/run/run-service.ts';
import { systemClock } from '../../server/src/lib/clock.ts';

/**
 * Measures events appended per second through the runtime's own path: fenced, numbered, published; in batches and
 * singly.
 */
export async function benchEvents(connectionString: string, orgId: string, seconds: number) {
  const db = openDatabase({ connectionString, maxConnections: 20, applicationName: 'bench events' });
  const ctx = { db, clock: systemClock };
  try {
    const results: { batch: number; sessions: number; perSecond: number }[] = [];
    for (const [batch, sessions] of [
      [100, 8],
      [1, 8],
      [1, 1],
    ] as const) {
      const ids = await freshSessions(sessions);
      let appended = 0;
      const until = Date.now() + seconds * 1_000;
      const begun = performance.now();
      await Promise.all(
        ids.map(async (id) => {
          const run = await claim(ctx, id, 'bench');
          if (run === undefined) throw new Error('a session could not be claimed');
          const events = Array.from({ length: batch }, (_, index) => ({
            kind: 'output' as const,
            data: {
              command_id: 'c1',
              call_id: '',
              stream: 'stdout' as const,
              text: `line ${index} of what a test prints\n`,
            },
          }));
          while (Date.now() < until) {
            await append(ctx, run, events);
            appended += batch;
          }
        }),
      );
      results.push({ batch, sessions, perSecond: appended / ((performance.now() - begun) / 1_000) });
    }
    return results;
  } finally {
    await db.close();
  }

  async function freshSessions(count: number): Promise<string[]> {
    const { rows } = await db.pool.query<{ id: string }>(
      `insert into sessions (id, org_id, prompt, agent_id, agent_version, created_by_type, created_by_id)
       select 'ses_bench_' || md5(random()::text), $1, 'x', (select id from agents where org_id = $1 limit 1), 1, 'user', 'usr_1'
       from generate_series(1, $2::int) returning id`,
      [orgId, count],
    );
    return rows.map((row) => row.id);
  }
}
