import { openNotifications } from '../../src/db/notifications.ts';
import { openDatabase } from '../../src/db/pool.ts';
import { createWorkerCalls } from '../../src/jobs/worker-calls.ts';
import { createLog } from '../../src/lib/log.ts';

/** A worker process that never responds, to be killed by tests. Argument: the database. */
const [connectionString = ''] = process.argv.slice(2);
const log = createLog('fatal');
const db = openDatabase({ connectionString, maxConnections: 2, applicationName: 'guildhall test worker' });
const notifications = await openNotifications(connectionString, log);
createWorkerCalls({ db, notifications, log }).serve('child', {
  forever: () => {
    process.stdout.write('begun\n');
    return new Promise(() => undefined);
  },
});
