import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startEmbedded } from '../../server/src/db/embedded/start.ts';
import { createLog } from '../../server/src/lib/log.ts';
import { benchApi } from './api.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    only: { type: 'string', default: 'api,events,start,session' },
  },
});
const say = (line: string): void => void process.stderr.write(`· ${line}\n`);
const directory = mkdtempSync(join(tmpdir(), 'guildhall-bench-'));
const embedded = await startEmbedded({ dataDir: join(directory, 'database'), log: createLog('warn') });
try {
  const api = await benchApi({
    connectionString: embedded.connectionString,
    directory,
    sizes: values.quick ? [10_000] : [10_000, 1_000_000],
    seconds: values.quick ? 4 : 8,
    rounds: values.quick ? 1 : 3,
    say,
  });
  process.stdout.write(`${JSON.stringify(api, null, 2)}\n`);
} finally {
  await embedded.stop();
  rmSync(directory, { recursive: true, force: true });
}
