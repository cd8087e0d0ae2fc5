import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '../server/src/db/embedded/start.ts';
import { migrate } from '../server/src/db/migrate.ts';
import { openDatabase } from '../server/src/db/pool.ts';
import { createLog } from '../server/src/lib/log.ts';
import { describeTypes } from './db-types.ts';

/** Migrates an empty temporary database and writes the types of its tables. */
const server = await startEmbedded({
  dataDir: mkdtempSync(join(tmpdir(), 'guildhall-types-')),
  log: createLog('warn'),
  disposable: true,
});
try {
  const database = openDatabase({
    connectionString: server.connectionString,
    maxConnections: 2,
    applicationName: 'guildhall types',
  });
  await migrate(database);
  writeFileSync(join(import.meta.dirname, '../server/src/db/types.ts'), await describeTypes(database.pool));
  await database.close();
} finally {
  await server.stop();
}
