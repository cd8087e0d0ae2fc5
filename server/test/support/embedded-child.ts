import { startEmbedded } from '../../src/db/embedded/start.ts';
import { openDatabase } from '../../src/db/pool.ts';
import { createLog } from '../../src/lib/log.ts';

/**
 * A program with the embedded database, to be killed by tests. Arguments: data directory, `write` or `disposable`.
 * Prints JSON lines: `{pid}` when the database runs, `{committed}` after every row, and after SIGTERM or SIGINT
 * `{drained}`, the number of rows that it could still read.
 */
const [dataDir = '', mode] = process.argv.slice(2);
const embedded = await startEmbedded({ dataDir, log: createLog('silent'), disposable: mode === 'disposable' });
const database = openDatabase({
  connectionString: embedded.connectionString,
  maxConnections: 2,
  applicationName: 'embedded child',
});
const draining = new AbortController();
process.once('SIGTERM', () => draining.abort());
process.once('SIGINT', () => draining.abort());
await database.pool.query('create table if not exists entries (n serial primary key)');
print({ pid: embedded.pid() });
while (!draining.signal.aborted) {
  const { rows } = await database.pool.query<{ n: number }>('insert into entries default values returning n');
  print({ committed: rows[0]?.n });
}
const { rows } = await database.pool.query<{ count: number }>('select count(*) from entries');
print({ drained: rows[0]?.count });
await database.close();
await embedded.stop();

function print(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
