import { join } from 'node:path';
import { tmpdir } from 'node:os';

/**
 * A directory whose `git` is found before that of the machine. Import it before the server: where that looks for git is settled
 * when it is loaded.
 */
export const place = join(tmpdir(), `guildhall-hanging-${process.pid}`);
process.env['PATH'] = `${place}/git:${process.env['PATH'] ?? ''}`;
