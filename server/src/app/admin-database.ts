import type { Config } from '../config/config.ts';
import { hasCluster } from '../db/embedded/layout.ts';
import { runningUrl } from '../db/embedded/running.ts';
import { startEmbedded, type EmbeddedDatabase } from '../db/embedded/start.ts';
import { migrate, pendingMigrations } from '../db/migrate.ts';
import { openDatabase, type Database } from '../db/pool.ts';
import type { KeyContext } from '../features/secrets/organization-keys.ts';
import { failingTasks } from '../jobs/maintenance-store.ts';
import { systemClock } from '../lib/clock.ts';
import { codeOf, messageOf } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { databaseProblem } from './database.ts';
import type { DatabaseState } from './doctor.ts';
import { openKeyRing } from './key-ring.ts';

/**
 * Opens the installation's database, and brings it up to date: an external one, the embedded one of a running server, or
 * one started temporarily. Only with `mayCreate`, creates an embedded one where none is.
 */
export async function withDatabase(
  config: Config,
  log: Log,
  use: (db: Database) => Promise<void>,
  { mayCreate = false } = {},
): Promise<void> {
  await withConnection(config, log, { mayCreate }, async (db) => {
    await migrate(db, { log }).catch((error: unknown) => Promise.reject(databaseProblem(config, error)));
    await use(db);
  });
}

async function withConnection(
  config: Config,
  log: Log,
  { mayCreate }: { mayCreate: boolean },
  use: (db: Database) => Promise<void>,
): Promise<void> {
  const running = config.databaseUrl === '' ? await runningUrl(config.data) : config.databaseUrl;
  if (running === undefined && !mayCreate && !hasCluster(config.data))
    throw new Error(
      `No installation is in ${config.data}. Name the data directory of one with --data or GUILDHALL_DATA, or create one there with npm start.`,
    );
  const embedded = running === undefined ? await startOwn(config, log) : undefined;
  const connectionString = running ?? embedded?.connectionString ?? '';
  const db = openDatabase({ connectionString, maxConnections: 2, applicationName: 'guildhall admin' });
  try {
    await use(db);
  } finally {
    await db.close();
    await embedded?.stop();
  }
}

/** Starts the embedded database. Throws a message for the operator if its files belong to another user, or cannot be written. */
async function startOwn({ data }: Config, log: Log): Promise<EmbeddedDatabase> {
  return startEmbedded({ dataDir: data, log }).catch((error: unknown) => {
    const code = codeOf(error);
    if (!/^E[A-Z]+$/.test(code)) throw error;
    const problem =
      code === 'EACCES'
        ? `This user cannot use the data directory ${data} (${messageOf(error)}). Run the command as the user that runs the server.`
        : `Cannot write to the data directory ${data} (${messageOf(error)}). The command runs the database there: make it writable.`;
    throw new Error(problem, { cause: error });
  });
}

/** Does the same as {@link withDatabase}, and opens the key ring. */
export async function withKeyRing(config: Config, log: Log, use: (ctx: KeyContext) => Promise<void>): Promise<void> {
  await withDatabase(config, log, async (db) => {
    const keyRing = await openKeyRing(config, { db, clock: systemClock, log });
    try {
      await use({ db, keyRing });
    } finally {
      keyRing.close();
    }
  });
}

/** Returns a function that reads the database at its first call, which may start the database. */
export function readOnce(config: Config, log: Log): () => Promise<DatabaseState> {
  let state: Promise<DatabaseState> | undefined;
  return () => (state ??= readDatabase(config, log));
}

/** Reads the state of the database as it is, without bringing it up to date. */
async function readDatabase(config: Config, log: Log): Promise<DatabaseState> {
  let state: DatabaseState = { version: '', pending: 0, failing: [] };
  await withConnection(config, log, { mayCreate: false }, async (db) => {
    const pending = await pendingMigrations(db).catch((error: unknown) =>
      Promise.reject(databaseProblem(config, error)),
    );
    const { rows } = await db.pool.query<{ version: string }>('select version()');
    const version = rows[0]?.version.split(',', 1)[0] ?? '';
    // The tables may be those of another version.
    state = { version, pending: pending.length, failing: pending.length === 0 ? await failingTasks(db) : [] };
  });
  return state;
}
