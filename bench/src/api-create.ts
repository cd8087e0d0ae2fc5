import { named, openDatabase, type Database } from '../../server/src/db/pool.ts';
import { cpuOf, cpuOfOne } from './agents-processes.ts';
import { load, type Load } from './load.ts';

/** Sessions created over the API; `bare` writes the same rows without a server. */
export interface CreateFigures {
  load: Load;
  /** Milliseconds of CPU of one. */
  cpuMs: { server: number; postgres: number };
  bare: { perSecond: number; cpuMs: number };
}

interface Options {
  connectionString: string;
  base: string;
  key: string;
  /** The server; PostgreSQL is a child of this process. */
  pid: number;
  seconds: number;
  connections: number;
}

export async function benchCreate(options: Options): Promise<CreateFigures> {
  const { base, key, pid, seconds, connections, connectionString } = options;
  const post = (duration: number): Promise<Load> =>
    load(base, {
      key,
      seconds: duration,
      connections,
      method: 'POST',
      body: JSON.stringify({ prompt: 'Fix the parser.' }),
    });
  await post(2);
  const read = () => ({ server: cpuOfOne(pid), postgres: cpuOf(process.pid).postgres });
  const before = read();
  const created = await post(seconds);
  const after = read();
  const count = created.requestsPerSecond * seconds;
  const db = openDatabase({ connectionString, maxConnections: connections, applicationName: 'bare create' });
  try {
    return {
      load: created,
      cpuMs: {
        server: (after.server - before.server) / count,
        postgres: (after.postgres - before.postgres) / count,
      },
      bare: await copyRows(db, seconds, connections),
    };
  } finally {
    await db.close();
  }
}

/** The rows of one create in one statement. It copies those of another session, whatever columns they have. */
const bareStatement = `
  with s as (insert into sessions select (jsonb_populate_record(o, jsonb_build_object('id', $1::text))).* from sessions o where id = $2 returning id),
  m as (insert into session_messages select (jsonb_populate_record(o, jsonb_build_object('id', 'm' || $1, 'session_id', $1::text))).*
        from session_messages o where session_id = $2),
  e as (insert into session_events select (jsonb_populate_record(o, jsonb_build_object('id', o.seq || $1, 'session_id', $1::text))).*
        from session_events o where session_id = $2),
  a as (insert into audit_entries select (jsonb_populate_record(o, jsonb_build_object('id', $1::text, 'resource_id', $1::text))).*
        from audit_entries o where id = $3)
  select 1`;

async function copyRows(db: Database, seconds: number, connections: number): Promise<CreateFigures['bare']> {
  const { rows } = await db.pool.query<{ id: string; audit: string }>(
    `select resource_id as id, id as audit from audit_entries where action = 'session.create' order by id desc limit 1`,
  );
  const [model] = rows;
  if (model === undefined) throw new Error('there is no session to copy');
  let count = 0;
  const before = cpuOf(process.pid).postgres;
  const until = performance.now() + seconds * 1_000;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < until) {
        count += 1;
        await named(db, 'bare_create', bareStatement, [`bare_${count}`, model.id, model.audit]);
      }
    }),
  );
  return { perSecond: count / seconds, cpuMs: (cpuOf(process.pid).postgres - before) / count };
}
