import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../../test/support/api.ts';
import { newAutomation, newRun } from '../../../../test/support/automations.ts';

const example = fileURLToPath(new URL('../../../../../examples/external-executor/executor.mjs', import.meta.url));

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

/** Runs the example until no run is due. */
async function execute(...command: string[]): Promise<number | null> {
  const { PATH = '' } = process.env;
  const env = { PATH, GUILDHALL_URL: api.url, GUILDHALL_KEY: await api.keyWith(['run']), ONCE: '1' };
  const child = spawn(process.execPath, [example, ...command], { env, stdio: 'ignore' });
  await once(child, 'close');
  return child.exitCode;
}

async function read(id: string): Promise<Record<string, unknown>> {
  return (await api.call('GET', `/v3/organizations/default/automations/runs/${id}`)).json;
}

test('the example executes every run that is due, and reports what came of it', async () => {
  const automation = await newAutomation(api, { concurrency: 'queue' });
  const runs = [await newRun(api, automation), await newRun(api, automation)];
  expect(await execute('sh', '-c', 'printf "did: "; cat')).toBe(0);
  for (const { id } of runs)
    expect(await read(id)).toMatchObject({
      status: 'succeeded',
      summary: 'did: Update the dependencies.',
      attempt_no: 1,
    });
});

test('the example reports a failure with its exit code', async () => {
  const { id } = await newRun(api, await newAutomation(api, { retry: { max_attempts: 1 } }));
  expect(await execute('sh', '-c', 'echo half; exit 3')).toBe(0);
  expect(await read(id)).toMatchObject({
    status: 'failed',
    summary: 'half\n',
    error_class: 'exit_code',
    error_message: '3',
  });
});

test('the example stops its work when the run is canceled', async () => {
  const { id } = await newRun(api, await newAutomation(api));
  // The lease of the example is short in this test: the row's end is what the heartbeat learns.
  const working = execute('sh', '-c', 'exec sleep 60');
  await expect.poll(async () => (await read(id))['status'], { timeout: 20_000 }).toBe('running');
  await api.call('POST', `/v3/organizations/default/automations/runs/${id}/cancel`);
  expect(await working).toBe(0);
  expect(await read(id)).toMatchObject({ status: 'canceled' });
}, 60_000);

test('the example says in one line why it cannot begin', async () => {
  const { PATH = '' } = process.env;
  const startWith = async (env: NodeJS.ProcessEnv): Promise<unknown> => {
    const child = spawn(process.execPath, [example, 'true'], { env: { PATH, GUILDHALL_URL: api.url, ...env } });
    const [stderr] = await Promise.all([text(child.stderr), once(child, 'close')]);
    return [child.exitCode, stderr];
  };
  expect(await startWith({})).toEqual([1, 'Set GUILDHALL_URL and GUILDHALL_KEY, and name a command.\n']);
  expect(await startWith({ GUILDHALL_KEY: 'guild_wrong' })).toEqual([
    1,
    expect.stringMatching(/^Invalid API key\..*\n$/),
  ]);
});
