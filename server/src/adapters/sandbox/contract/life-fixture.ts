import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ProviderError } from '../../../lib/errors.ts';
import { commandLines, controlGroups, until } from '../contract-fixture.ts';
import type { SandboxWorld } from './world-fixture.ts';

/** Tests the end of a sandbox: what stays, and what is removed. */
export function lifeContract(world: SandboxWorld): void {
  const { tag, create, run, output } = world;
  const isRunning = () => commandLines().some((line) => line.includes(`sleep ${tag}`));

  test('files outlive stop and are found again, processes do not; destroy leaves nothing', async () => {
    const mountsBefore = readFileSync('/proc/self/mounts', 'utf8');
    const first = await create({ id: `ses_kept_${tag}` });
    await run(first, `sleep ${tag} & echo kept > file; echo mine > ~/note; chmod 700 file`);
    expect(isRunning()).toBe(true);
    await expect(create({ id: `ses_kept_${tag}` })).rejects.toThrow(/already running/);
    await first.stop();
    expect(await first.ended).toMatchObject({ reason: 'stopped' });
    await expect(first.exec({ command: 'true', timeoutMs: 1_000 })).rejects.toThrow(ProviderError);
    expect(isRunning()).toBe(false);

    const second = await create({ id: `ses_kept_${tag}` });
    expect(await output(second, 'cat file ~/note; rm file && touch new && stat -c %U new')).toMatch(
      /^kept\nmine\n\w+$/,
    );
    await run(second, `setsid sleep ${tag} & mkdir -p locked/deep; chmod 000 locked/deep locked`);
    await second.destroy();
    await second.destroy();
    expect(await second.ended).toMatchObject({ reason: 'destroyed' });
    expect(isRunning()).toBe(false);
    expect(existsSync(join(world.root, 'sandboxes', `ses_kept_${tag}`))).toBe(false);
    expect(readFileSync('/proc/self/mounts', 'utf8')).toBe(mountsBefore);
    expect(controlGroups(`ses_kept_${tag}`)).toBe('');

    const third = await create({ id: `ses_kept_${tag}` });
    expect(await output(third, 'ls -A')).toBe('');
    await third.stop();
    await world.driver.discard(`ses_kept_${tag}`);
    expect(existsSync(join(world.root, 'sandboxes', `ses_kept_${tag}`))).toBe(false);
    await world.driver.discard(`ses_kept_${tag}`);
  });

  test('what a killed worker left behind is swept, and nothing else', async () => {
    const bystander = await create({ id: 'ses_bystander' });
    const stopped = await create({ id: 'ses_stopped' });
    await stopped.stop();
    const worker = spawn(
      process.execPath,
      ['--input-type=module', '-e', workerSource, world.module.href, world.factory, world.root, String(tag)],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    await once(worker.stdout, 'data');
    expect(isRunning()).toBe(true);
    expect(await world.driver.sweep()).toBe(0);
    worker.kill('SIGKILL');
    await once(worker, 'exit');
    expect(await world.driver.sweep()).toBe(2);
    await until(() => Promise.resolve(!isRunning()));
    for (const id of [`ses_orphan_${tag}`, `ses_crashed_${tag}`]) {
      expect(existsSync(join(world.root, 'sandboxes', id)), id).toBe(false);
      expect(controlGroups(id), id).toBe('');
    }
    expect(existsSync(join(world.root, 'sandboxes', 'ses_stopped'))).toBe(true);
    expect(await output(bystander, 'echo alive')).toBe('alive');
    await bystander.destroy();
    await world.driver.discard('ses_stopped');
  });
}

/** Has a sandbox that crashed, whose files nobody removed yet, and one that runs. */
const workerSource = `
  import { readFileSync } from 'node:fs';
  const [module, factory, root, tag] = process.argv.slice(1);
  const log = { warn() {}, info() {}, error() {}, debug() {} };
  const driver = (await import(module))[factory]({ root, log });
  const limits = { cpu: 1, memory_mb: 128, disk_mb: 32, pids: 32 };
  const crashed = await driver.create({ id: 'ses_crashed_' + tag, limits });
  const children = readFileSync('/proc/self/task/' + process.pid + '/children', 'utf8').split(' ').filter(Boolean);
  for (const child of children) process.kill(Number(child), 'SIGKILL');
  await crashed.ended;
  const sandbox = await driver.create({ id: 'ses_orphan_' + tag, limits });
  await sandbox.exec({ command: 'sleep ' + tag + ' & sleep 0.1', timeoutMs: 5000 });
  console.log('up');
`;
