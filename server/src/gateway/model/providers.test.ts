import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { askModel, modelWorlds, operatorKey, providerAt } from '../../../test/support/models.ts';
import { KeyMissing } from '../../lib/models.ts';

const { provide, open } = modelWorlds();

const answered = { usage: { prompt_tokens: 100, completion_tokens: 20 } };
const none = {
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  costUsd: 0,
  priceSource: 'none',
};

function json(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

describe("an organization's provider", () => {
  const own = (url: string, key: () => Promise<string> = async () => 'sk-of-the-organization') => ({
    ...providerAt(url, 'openai_compatible'),
    name: 'ours',
    key,
    operators: false,
  });
  const ask = (world: Awaited<ReturnType<typeof open>>, id = 'ours') =>
    askModel(world, id, '/v1/chat/completions', { model: 'qwen3' });

  test('is not reached at a private address, whatever it is called, unless the operator opened it', async () => {
    const provider = await provide((response) => json(response, answered));
    const { port } = new URL(provider.url);
    const named = provider.url.replace('127.0.0.1', 'models.example');
    const lookup = async () => [{ address: '127.0.0.1', family: 4 }];
    for (const url of [provider.url, named]) {
      const world = await open(provider, { providers: [own(url)], lookup });
      const answer = await ask(world);
      expect(answer.status).toBe(403);
      const opening = `GUILDHALL_EGRESS_ALLOW=model=${new URL(url).host}.`;
      expect(await answer.json()).toMatchObject({ error: { message: expect.stringContaining(opening) } });
      expect(world.settled).toEqual([none]);
    }
    const elsewhere = [{ purpose: 'git', target: '127.0.0.0/8' } as const];
    expect((await ask(await open(provider, { providers: [own(provider.url)], egressAllow: elsewhere }))).status).toBe(
      403,
    );
    expect(provider.asked).toEqual([]);
    const opened = [{ purpose: 'model', target: `127.0.0.1:${port}` } as const];
    const world = await open(provider, { providers: [own(provider.url)], egressAllow: opened });
    expect((await ask(world)).status).toBe(200);
    expect(provider.asked[0]?.request.headers.authorization).toBe('Bearer sk-of-the-organization');
    expect(world.calls[0]?.model).toBe('ours/qwen3');
  });

  test("is not reached over what the operator's provider of the same address may reach", async () => {
    const provider = await provide((response) => json(response, answered));
    const operators = { ...own(provider.url), name: 'theirs', operators: true };
    const world = await open(provider, { providers: [own(provider.url), operators] });
    for (let round = 0; round < 2; round += 1) {
      expect((await ask(world, 'theirs')).status).toBe(200);
      expect((await ask(world)).status).toBe(403);
    }
    expect(provider.asked).toHaveLength(2);
  });

  test('is asked with the key of that moment, which no answer repeats', async () => {
    const keys = ['sk-the-first-of-the-organization', 'sk-the-second-of-the-organization'];
    const provider = await provide((response, { request }) =>
      response.end(`You sent ${request.headers.authorization}, not ${operatorKey}`),
    );
    const world = await open(provider, {
      providers: [own(provider.url, async () => keys.shift() ?? '')],
      egressAllow: [{ purpose: 'model', target: '127.0.0.0/8' }],
    });
    for (let round = 0; round < 2; round += 1)
      expect(await (await ask(world)).text()).toBe(`You sent Bearer ********, not ${operatorKey}`);
    expect(provider.asked.map(({ request }) => request.headers.authorization)).toEqual([
      'Bearer sk-the-first-of-the-organization',
      'Bearer sk-the-second-of-the-organization',
    ]);
  });

  test('whose key is missing says so, once and for all, and uses nothing', async () => {
    const provider = await provide((response) => json(response, answered));
    const missing = () => Promise.reject(new KeyMissing('The secret MODEL_KEY is gone.'));
    const world = await open(provider, { providers: [own(provider.url, missing)] });
    const answer = await ask(world);
    expect([answer.status, answer.headers.get('x-should-retry')]).toEqual([502, 'false']);
    expect(await answer.json()).toMatchObject({ error: { message: 'The secret MODEL_KEY is gone.' } });
    expect([provider.asked, world.settled]).toEqual([[], [none]]);
  });
});
