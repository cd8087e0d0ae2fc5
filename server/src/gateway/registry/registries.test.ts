import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../../../test/support/child.ts';
import { createScratch, openWorld } from '../../../test/support/gateway.ts';
import { hangingPrograms } from '../../../test/support/hanging.ts';
import { createLog } from '../../lib/log.ts';
import { knowRegistries } from './known.ts';
import { hostRegistries } from './registries.ts';

let scratch: Awaited<ReturnType<typeof createScratch>>;
beforeEach(async () => {
  scratch = await createScratch();
});
afterEach(() => scratch.dispose());

const pips = ['pip', 'pip3', 'python3'];

test('programs that hang end with all they started, and one line of the log names the program', async () => {
  const hanging = await hangingPrograms(join(scratch.path, 'bin'), ['npm', ...pips]);
  const file = createWriteStream(join(scratch.path, 'log'));
  await new Promise((resolve) => file.once('open', resolve));
  const log = createLog('info', Number(Object(file)['fd']));
  const { npm, pip, unread } = await hostRegistries({ log, environment: { PATH: hanging.path, HOME: scratch.path } });
  expect([npm, pip]).toEqual([undefined, undefined]);
  expect(unread?.pip).toBe('pip3 on this host did not respond and was terminated after 3 s.');
  expect(unread?.npm).toContain('npm on this host did not respond');
  await eventually(() => hanging.running().length === 0, 'nothing of them is left');
  expect(hanging.starts()).toBeGreaterThan(0);
  const lines = (await readFile(join(scratch.path, 'log'), 'utf8')).trim().split('\n');
  expect(lines.filter((line) => line.includes('pip3 on this host'))).toHaveLength(1);
  file.destroy();
});

test('a wrapper that does more around `pip install` is not set off', async () => {
  const hanging = await hangingPrograms(join(scratch.path, 'bin'), ['pip', 'pip3'], '" install "*');
  await hostRegistries({ log: createLog('silent'), environment: { PATH: hanging.path, HOME: scratch.path } });
  expect(hanging.starts()).toBe(0);
});

test('nobody waits for them but who asks them, and that one is told', async () => {
  const hanging = await hangingPrograms(join(scratch.path, 'bin'), pips);
  const environment = { PATH: hanging.path, HOME: scratch.path, npm_config_registry: 'https://npm.example/' };
  const registries = knowRegistries({ log: createLog('silent'), environment });
  const world = await scratch.closing(
    openWorld({ directory: join(scratch.path, 'doors'), registries: registries.read }, { network: 'none' }),
  );
  expect(await world.endpoint.environment(world.inside)).toMatchObject({
    PIP_INDEX_URL: `${world.inside}/pip/simple/`,
  });
  expect(registries.isKnown('pip')).toBe(false);
  world.endpoint.setNetwork('open');
  expect(await world.endpoint.environment(world.inside)).toMatchObject({
    PIP_INDEX_URL: `${world.inside}/pip/simple/`,
  });
  expect(registries.isKnown('pip')).toBe(false);
  const answer = await fetch(`${world.inside}/pip/simple/six/`);
  expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining('pip3 on this host')]);
  await eventually(() => hanging.running().length === 0, 'nothing of them is left');
});
