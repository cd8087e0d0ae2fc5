import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PoolClient } from 'pg';
import { codeOf, messageOf } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import type { Database } from './pool.ts';
import { checkServer } from './server-check.ts';

const migrationsDirectory = fileURLToPath(new URL('migrations/', import.meta.url));

/** The same in every version of the program: two of them starting at once must wait for each other. */
const lockKey = 7_420_180_015;
/** A migration that cannot get a table's lock fails instead of holding up everybody who queues behind it. */
const lockTimeout = '10s';
const filePattern = /^(\d{14})_([a-z0-9_]+)\.sql$/;

export interface MigrateOptions {
  /** Directory of the `<YYYYMMDDHHMMSS>_<name>.sql` files; the program's own by default. */
  directory?: string;
  log?: Log;
  /** A longer wait for another process that migrates is logged; 5 s by default. */
  noticeAfterMs?: number;
}

interface Migration {
  version: string;
  name: string;
  sql: string;
  checksum: string;
}

/**
 * Brings the schema up to date: applies in order what was not applied, each file in a transaction of its own, while
 * holding an advisory lock that lets only one process do so. Files merged from another branch may sort before applied
 * ones; they are applied all the same.
 *
 * @returns the names of the files it applied
 * @throws when the server or the database does not fit (`server-check.ts`), an applied file was changed, the database
 * knows a version that this program does not, or a file fails; the message is for the operator
 */
export async function migrate(db: Pick<Database, 'pool'>, options: MigrateOptions = {}): Promise<string[]> {
  const migrations = readMigrations(options.directory ?? migrationsDirectory);
  const client = await db.pool.connect();
  try {
    await checkServer(client);
    await client.query('set statement_timeout = 0');
    await lock(client, options);
    await client.query(`set lock_timeout = '${lockTimeout}'`);
    await createHistory(client);
    const applied = await readApplied(client);
    checkHistory(migrations, applied);
    const pending = migrations.filter(({ version }) => !applied.has(version));
    for (const migration of pending) {
      await apply(client, migration);
      options.log?.debug({ migration: fileName(migration) }, 'applied a database migration');
    }
    if (pending.length > 0)
      options.log?.info({ count: pending.length, newest: pending.at(-1)?.version }, 'the database is up to date');
    return pending.map(fileName);
  } finally {
    // Closing the connection frees the lock and takes the changed settings with it.
    client.release(true);
  }
}

/** Returns the names of the files that {@link migrate} would apply, and changes nothing. Throws as it does. */
export async function pendingMigrations(
  db: Pick<Database, 'pool'>,
  { directory = migrationsDirectory }: Pick<MigrateOptions, 'directory'> = {},
): Promise<string[]> {
  const migrations = readMigrations(directory);
  const client = await db.pool.connect();
  try {
    await checkServer(client);
    const { rows } = await client.query<{ found: boolean }>(
      `select to_regclass('schema_migrations') is not null as found`,
    );
    const applied: Applied = rows[0]?.found === true ? await readApplied(client) : new Map();
    checkHistory(migrations, applied);
    return migrations.filter(({ version }) => !applied.has(version)).map(fileName);
  } finally {
    client.release();
  }
}

function readMigrations(directory: string): Migration[] {
  const names = readdirSync(directory)
    .filter((name) => name.endsWith('.sql'))
    .sort();
  const migrations = names.map((name) => {
    const [, version, title] = filePattern.exec(name) ?? [];
    if (version === undefined || title === undefined) {
      throw new Error(`Migration ${name} is not named <YYYYMMDDHHMMSS>_<name>.sql.`);
    }
    // A checkout with other line endings is still the same migration.
    const sql = readFileSync(join(directory, name), 'utf8').replaceAll('\r\n', '\n');
    return { version, name: title, sql, checksum: createHash('sha256').update(sql).digest('hex') };
  });
  const twice = migrations.find(({ version }, index) => migrations[index + 1]?.version === version);
  if (twice !== undefined) {
    throw new Error(`Two migrations have the version ${twice.version}.`);
  }
  return migrations;
}

/** Waits for other processes that migrate, as long as they take, and says so. */
async function lock(client: PoolClient, { log, noticeAfterMs = 5_000 }: MigrateOptions): Promise<void> {
  await client.query(`set lock_timeout = ${noticeAfterMs}`);
  try {
    await client.query('select pg_advisory_lock($1::bigint)', [lockKey]);
  } catch (error) {
    if (codeOf(error) !== '55P03') throw error;
    const { rows } = await client.query<{ pid: number; application_name: string; client_addr: string | null }>(
      `select pid, application_name, client_addr from pg_locks join pg_stat_activity using (pid)
       where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())
         and (classid::bigint << 32) + objid::bigint = $1::bigint`,
      [lockKey],
    );
    log?.warn({ holder: rows[0] }, 'another process is bringing the database up to date; this one waits for it');
    await client.query('set lock_timeout = 0');
    await client.query('select pg_advisory_lock($1::bigint)', [lockKey]);
  }
}

async function createHistory(client: PoolClient): Promise<void> {
  await client.query(`
    create table if not exists schema_migrations (
      version text primary key,
      name text not null,
      checksum text not null,
      applied_at timestamptz not null default now()
    )`);
}

/** The applied files by version. */
type Applied = Map<string, { name: string; checksum: string }>;

async function readApplied(client: PoolClient): Promise<Applied> {
  const { rows } = await client.query<{ version: string; name: string; checksum: string }>(
    'select version, name, checksum from schema_migrations order by version',
  );
  return new Map(rows.map(({ version, name, checksum }) => [version, { name, checksum }]));
}

function checkHistory(migrations: Migration[], applied: Applied): void {
  const known = new Map(migrations.map((migration) => [migration.version, migration]));
  for (const [version, { name, checksum }] of applied) {
    const migration = known.get(version);
    if (migration === undefined) {
      throw new Error(
        `The database is newer than this program: it has migration ${version}_${name}, which is unknown here. ` +
          'Start the version of Guildhall that applied it, or a later one.',
      );
    }
    if (migration.checksum !== checksum) {
      throw new Error(
        `Migration ${fileName(migration)} was changed after it was applied to this database. ` +
          'Put the file back as it was and write a new migration for the change.',
      );
    }
  }
}

async function apply(client: PoolClient, migration: Migration): Promise<void> {
  await client.query('begin');
  try {
    await client.query(migration.sql);
    await client.query('insert into schema_migrations (version, name, checksum) values ($1, $2, $3)', [
      migration.version,
      migration.name,
      migration.checksum,
    ]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw new Error(`Migration ${fileName(migration)} failed and was rolled back: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function fileName({ version, name }: Migration): string {
  return `${version}_${name}.sql`;
}
