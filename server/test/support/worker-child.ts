import { readConfig } from '../../src/config/config.ts';
import { createContext } from '../../src/app/context.ts';
import { createLog } from '../../src/lib/log.ts';
import { startTestWorker } from './worker.ts';

/** A worker process to be killed by tests. Arguments: data directory, database, URL of the API, its own directory. */
const [data = '', databaseUrl = '', url = '', directory = ''] = process.argv.slice(2);
const config = readConfig(['--data', data, '--role', 'worker'], {
  DATABASE_URL: databaseUrl,
  GUILDHALL_URL: url,
  GUILDHALL_LOG_LEVEL: 'fatal',
});
const closing = new AbortController();
const { context } = await createContext(config, {
  log: createLog(config.logLevel),
  connectionString: databaseUrl,
  closing: closing.signal,
  baseUrl: () => url,
});
await startTestWorker(context, url, { slots: 1, directory, browsers: { slots: 1 } });
process.stdout.write(`${JSON.stringify({ started: process.pid })}\n`);
