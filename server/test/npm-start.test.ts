import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { lockDataDirectory } from '../src/lib/file-lock.ts';
import { prepareData, temporaryDirectory } from './support/server.ts';

const root = join(import.meta.dirname, '../..');

test('SIGTERM to npm start alone drains the server behind it', { timeout: 60_000 }, async () => {
  const data = temporaryDirectory();
  prepareData(data.path);
  const args = ['start', '--silent', '--', '--json', '--role', 'api', '--port', '0', '--data', data.path];
  const npm = spawn('npm', args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
    env: { ...process.env, GUILDHALL_METRICS_PORT: '0' },
  });
  try {
    const exited = once(npm, 'exit');
    const [line] = await once(createInterface({ input: npm.stdout }), 'line');
    expect(JSON.parse(String(line))).toMatchObject({ event: 'ready' });
    npm.kill('SIGTERM');
    await exited;
    // A running server holds the lock, and this would fail.
    await (await lockDataDirectory(data.path)).release();
  } finally {
    endGroup(npm.pid);
    data.remove();
  }
});

function endGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, 'SIGKILL');
  } catch {
    // It was removed, as expected.
  }
}
