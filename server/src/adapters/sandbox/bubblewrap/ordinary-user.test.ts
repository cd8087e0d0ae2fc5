import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { test } from 'vitest';
import { createLog } from '../../../lib/log.ts';
import { sandboxContract } from '../contract.ts';
import { createBubblewrapDriver } from './driver.ts';

// Root limits a sandbox by other means. This file's process becomes somebody else, for good.
const uid = 64_321;
if (process.getuid?.() !== 0 || ![process.execPath, fileURLToPath(import.meta.url)].every(isReadableByOthers)) {
  test('sandboxes of an ordinary user, beside those of root (optional)', (context) => {
    context.skip('needs root, and a checkout that other users may read');
  });
} else {
  process.setgroups?.([]);
  process.setgid?.(uid);
  process.setuid?.(uid);
  sandboxContract('bubblewrap without root', (root) => createBubblewrapDriver({ root, log: createLog('silent') }), {
    isolated: true,
    module: new URL('driver.ts', import.meta.url),
    factory: 'createBubblewrapDriver',
  });
}

function isReadableByOthers(path: string): boolean {
  try {
    execFileSync('test', ['-r', path], { uid, gid: uid, cwd: '/' });
    return true;
  } catch {
    return false;
  }
}
