import { join } from 'node:path';
import { tmpdir } from 'node:os';

/**
 * A directory whose `git` is found before the machine's. Import it before the server, which searches for git when it is
 * loaded.
 */
export const place = join(tmpdir(), `guildhall-hanging-${process.pid}`);
process.env['PATH'] = `${place}/git:${process.env['PATH'] ?? ''}`;
