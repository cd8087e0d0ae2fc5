import { spawn } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { becomeOwner } from './ownership.ts';

let base: string;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'ownership-'));
});

afterAll(() => rm(base, { recursive: true, force: true }));

/** Leaves claims behind, like a killed worker. */
async function dieHolding(owners: string, claims: string, names: string[]): Promise<void> {
  const source = `
    const [module, owners, claims, ...names] = process.argv.slice(1);
    const owner = await (await import(module)).becomeOwner(owners);
    for (const name of names) await owner.claim(claims, name, { from: 'the dead' });
    process.kill(process.pid, 'SIGKILL');
  `;
  const module = new URL('ownership.ts', import.meta.url).href;
  const dying = spawn(process.execPath, ['--input-type=module', '-e', source, module, owners, claims, ...names], {
    stdio: 'inherit',
  });
  await once(dying, 'exit');
}

test('a name belongs to one owner until it is released', async () => {
  const [owners, claims] = [join(base, 'a-owners'), join(base, 'a')];
  const [one, two] = [await becomeOwner(owners), await becomeOwner(owners)];
  expect(await one.claim(claims, 'name', null)).toBe(true);
  expect(await one.claim(claims, 'name', null)).toBe(false);
  expect(await two.claim(claims, 'name', null)).toBe(false);
  expect(await two.adopt(claims)).toEqual([]);
  await one.release(claims, 'name');
  expect(await two.claim(claims, 'name', null)).toBe(true);
});

test('of many that want the name of a dead owner, exactly one gets it', async () => {
  const [owners, claims] = [join(base, 'b-owners'), join(base, 'b')];
  const names = Array.from({ length: 20 }, (_, index) => `name-${index}`);
  await dieHolding(owners, claims, names);
  const rivals = await Promise.all(Array.from({ length: 4 }, () => becomeOwner(owners)));
  for (const name of names) {
    const won = await Promise.all(rivals.map((rival) => rival.claim(claims, name, null)));
    expect(won.filter(Boolean), name).toHaveLength(1);
  }
  const left = await readdir(claims);
  expect(left.filter((name) => !name.startsWith('.')).toSorted()).toEqual(names.toSorted());
});

test('what dead owners left is adopted once, with its note, and they are forgotten', async () => {
  const [owners, claims] = [join(base, 'c-owners'), join(base, 'c')];
  const living = await becomeOwner(owners);
  await living.claim(claims, 'mine', null);
  await dieHolding(owners, claims, ['left']);
  const other = await becomeOwner(owners);
  const adopted = await Promise.all([living.adopt(claims), other.adopt(claims)]);
  expect(adopted.flat()).toEqual([{ name: 'left', note: { from: 'the dead' } }]);
  expect(await readdir(owners)).toHaveLength(2);
});

test('what a dead owner left is always claimed, so that a crash in the middle of an adoption leaves nothing to nobody', async () => {
  const [owners, claims] = [join(base, 'e-owners'), join(base, 'e')];
  const names = Array.from({ length: 20 }, (_, index) => `name-${index}`);
  await dieHolding(owners, claims, names);
  const heir = await becomeOwner(owners);
  const looking = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads');
     const { existsSync } = require('node:fs');
     let [stopped, looks, gaps] = [false, 0, 0];
     parentPort.once('message', () => (stopped = true));
     const look = () => {
       for (const path of workerData) if (!existsSync(path)) gaps += 1;
       looks += 1;
       if (looks === 1) parentPort.postMessage('looking');
       if (stopped) parentPort.postMessage({ looks, gaps });
       else setImmediate(look);
     };
     look();`,
    { eval: true, workerData: names.map((name) => join(claims, name)) },
  );
  await once(looking, 'message');
  expect(await heir.adopt(claims)).toHaveLength(names.length);
  looking.postMessage('stop');
  const [seen]: { looks: number; gaps: number }[] = await once(looking, 'message');
  expect(seen?.looks).toBeGreaterThan(names.length);
  expect(seen?.gaps).toBe(0);
  await looking.terminate();
});

test('a search for what dead owners left starts no program, however many claims the living have', async () => {
  const [owners, claims] = [join(base, 'd-owners'), join(base, 'd')];
  const [one, two] = [await becomeOwner(owners), await becomeOwner(owners)];
  for (const name of ['a', 'b', 'c']) {
    await one.claim(claims, `one-${name}`, null);
    await two.claim(claims, `two-${name}`, null);
  }
  let started = 0;
  const count = (): void => void (started += 1);
  subscribe('child_process', count);
  expect(await one.adopt(claims)).toEqual([]);
  unsubscribe('child_process', count);
  expect(started).toBe(0);
});
