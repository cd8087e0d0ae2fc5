import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { script, startScriptedModel, type Call, type ScriptedModel, type Step } from './index.ts';

let server: ScriptedModel;
beforeAll(async () => {
  server = await startScriptedModel();
});
afterAll(() => server.close());

type Json = Record<string, unknown>;
interface Tool {
  name: string;
  schema?: Json;
}

const chatPath = '/v1/chat/completions';
const geminiPath = '/v1beta/models/m:generateContent';

async function post(path: string, body: unknown): Promise<Response> {
  return fetch(server.url + path, { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) });
}

/** Sends a request in the format of chat completions and returns the message in the response. */
async function ask(messages: Json[], tools: Tool[] = [{ name: 'bash', schema: strings('command') }]): Promise<unknown> {
  const offered = tools.map(({ name, schema }) => ({ type: 'function', function: { name, parameters: schema } }));
  const response = await post(chatPath, { model: 'm', messages, tools: offered });
  const answer: { choices?: { message: unknown }[] } = JSON.parse(await response.text());
  return answer.choices?.[0]?.message;
}

function strings(...names: string[]): Json {
  return { type: 'object', properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])) };
}

function user(content: string): Json {
  return { role: 'user', content };
}

/** Returns an agent's messages after the step: its call, and the result. */
function played(id: string, step: number): Json[] {
  const call = { id: `call_${id}_${step}_0`, type: 'function', function: { name: 'bash', arguments: '{}' } };
  return [
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: call.id, content: 'ok' },
  ];
}

function calling(command: string): Json {
  return { tool_calls: [{ function: { arguments: JSON.stringify({ command }) } }] };
}

describe('the place in the script', () => {
  const steps: Step[] = [{ run: 'zero' }, { run: 'one' }, { run: 'two' }, { run: 'three' }];

  test('is the same however often a request is made', async () => {
    const messages = [user(script(steps, { id: 'again' })), ...played('again', 0)];
    const answers = await Promise.all([ask(messages), ask(messages), ask(messages)]);
    expect(answers).toMatchObject([calling('one'), calling('one'), calling('one')]);
  });

  test('is known from the last calls where what came before them was summarized', async () => {
    const prompt = user(`What was asked: ${script(steps, { id: 'short' })}`);
    const summary = { role: 'assistant', content: 'Much was done.' };
    expect(await ask([prompt, ...played('short', 2)])).toMatchObject(calling('three'));
    expect(await ask([prompt, summary, ...played('short', 1)])).toMatchObject(calling('two'));
  });

  test("is not moved by a person's message, by another script's calls or by an answer without content", async () => {
    const messages = [
      user(script(steps, { id: 'steered' })),
      ...played('steered', 0),
      user('Hurry up'),
      { role: 'assistant', content: '' },
      user('Please'),
    ];
    expect(await ask([...played('other', 3), ...messages])).toMatchObject(calling('one'));
  });

  test('is told by references to items as well, which stand for a response that a service would have kept', async () => {
    const input = [
      user(script(steps, { id: 'kept' })),
      { type: 'item_reference', id: 'rs_kept_1' },
      { type: 'item_reference', id: 'fc_kept_1_0' },
      { type: 'function_call_output', call_id: 'call_kept_1_0', output: 'ok' },
    ];
    const tools = [{ type: 'function', name: 'bash', parameters: strings('command') }];
    const response = await post('/v1/responses', { model: 'm', input, tools });
    expect(await response.json()).toMatchObject({ output: [{ arguments: '{"command":"two"}' }] });
  });

  test('is not hidden by a block that is not closed', async () => {
    expect(await ask([user(script(steps)), user('What is ```script for?')])).toMatchObject(calling('zero'));
  });

  test('survives a message that is sent as it is, in any language', async () => {
    const path = 'a ``` b\n```\nüß 🙂';
    const prompt = user(script([{ run: path }]));
    expect(await ask([prompt])).toMatchObject(calling(path));
  });

  test.each([
    ['```script\n{"id": "x", "steps": [}\n```', /must be a JSON object/],
    ['```script\n{"id": "x_1", "steps": []}\n```', /id must have/],
    ['```script\n{"id": "x"}\n```', /must have a list "steps"/],
    ['```script\n{"id": "x", "steps": [{"jump": 1}]}\n```', /Step 0 .*no known action: \{"jump":1\}/],
    ['```script\n{"id": "x", "steps": [{"run": "a", "fault": {"sleep": 1}}]}\n```', /unknown fault/],
  ])('a script that is wrong is answered with why: %s', async (prompt, content) => {
    expect(await ask([user(prompt)])).toMatchObject({ content: expect.stringMatching(content) });
  });
});

describe('the tools that are offered', () => {
  const fits: [call: Call, tool: Tool, input: unknown][] = [
    [
      { run: 'ls', timeout: 5 },
      { name: 'Bash', schema: strings('command', 'timeout') },
      { command: 'ls', timeout: 5 },
    ],
    [{ run: 'ls', timeout: 5 }, { name: 'exec_command', schema: strings('cmd') }, { cmd: 'ls' }],
    [
      { run: 'ls' },
      {
        name: 'shell',
        schema: {
          properties: {
            command: { type: 'array', items: { type: 'string' } },
            why: { type: 'string' },
            is_background: { type: 'boolean' },
          },
          required: ['command', 'why', 'is_background'],
        },
      },
      { command: ['bash', '-lc', 'ls'], why: 'scripted', is_background: false },
    ],
    [
      { write: { path: 'a', content: 'b' } },
      { name: 'Write', schema: strings('file_path', 'content') },
      { file_path: 'a', content: 'b' },
    ],
    [{ read: 'a' }, { name: 'read_file', schema: strings('filePath') }, { filePath: 'a' }],
    [
      { edit: { path: 'a', old: 'b', new: '' } },
      { name: 'edit', schema: strings('path', 'oldText', 'newText') },
      { path: 'a', oldText: 'b', newText: '' },
    ],
    [
      { edit: { path: 'a', old: 'b', new: 'c' } },
      {
        name: 'replace',
        schema: { ...strings('instruction', 'file_path', 'old_string', 'new_string'), required: ['instruction'] },
      },
      { file_path: 'a', old_string: 'b', new_string: 'c', instruction: 'scripted' },
    ],
    [{ search: 'x.*' }, { name: 'grep', schema: strings('pattern', 'path') }, { pattern: 'x.*' }],
    [
      { plan: [{ content: 'a', status: 'pending' }] },
      {
        name: 'update_plan',
        schema: { properties: { plan: { type: 'array', items: strings('step', 'status') } } },
      },
      { plan: [{ step: 'a', status: 'pending' }] },
    ],
    [{ ask: 'Why?' }, { name: 'ask_user', schema: strings('question') }, { question: 'Why?' }],
    [{ call: { name: 'odd', input: { a: [1] } } }, { name: 'odd' }, { a: [1] }],
  ];

  test.each(fits)('%j becomes a call of %j', async (call, tool, input) => {
    const message = await ask([user(script([call]))], [{ name: 'other' }, tool]);
    expect(message).toMatchObject({ tool_calls: [{ function: { name: tool.name, arguments: expect.any(String) } }] });
    expect(inputOf(message)).toEqual(input);
  });

  test.each([
    ['by name', { name: 'fly', schema: strings('command') }],
    ['by its arguments', { name: 'bash', schema: strings('speed') }],
  ])('a text says which is missing when none fits %s', async (_, tool) => {
    const message = await ask([user(script([{ run: 'ls' }]))], [tool]);
    expect(message).toMatchObject({ content: `No tool to run with is offered; there are: ${tool.name}` });
  });
});

function inputOf(message: unknown): unknown {
  const [, json = ''] = /"arguments":("(?:[^"\\]|\\.)*")/.exec(JSON.stringify(message)) ?? [];
  return JSON.parse(JSON.parse(json));
}

describe('what goes over the wire', () => {
  const prompt = () => script([{ run: 'ls', usage: { input: 90, output: 9, cached: 50 } }]);
  const bash = { name: 'bash', description: '', input_schema: strings('command') };

  test('messages: what was cached is not in the input tokens, and every event has its name', async () => {
    const body = { model: 'm', max_tokens: 99, tools: [bash], messages: [user(prompt())] };
    const whole = await (await post('/v1/messages', body)).json();
    expect(whole).toMatchObject({ usage: { input_tokens: 40, cache_read_input_tokens: 50, output_tokens: 9 } });
    const events = await (await post('/v1/messages', { ...body, stream: true })).text();
    for (const event of events.trim().split('\n\n')) expect(event).toMatch(/^event: (\w+)\ndata: \{"type":"\1"/);
  });

  test('chat completions: usage is streamed only when asked for, and the end is marked', async () => {
    const body = { model: 'm', stream: true, messages: [user(script([{ say: 'hi' }]))] };
    const without = await (await post(chatPath, body)).text();
    expect(without).toMatch(/\ndata: \[DONE\]\n\n$/);
    expect(without).not.toContain('usage');
    const asked = await (await post(chatPath, { ...body, stream_options: { include_usage: true } })).text();
    expect(asked).toMatch(/"choices":\[\],"usage":\{"prompt_tokens":\d+.*\n\ndata: \[DONE\]\n\n$/);
  });

  test.each([
    [chatPath, { messages: [] }, { error: { type: 'requests', code: 'rate_limit_exceeded' } }],
    ['/v1/responses', { input: [] }, { error: { type: 'requests', code: 'rate_limit_exceeded' } }],
    ['/v1/messages', { max_tokens: 9, messages: [] }, { type: 'error', error: { type: 'rate_limit_error' } }],
    [
      geminiPath,
      { contents: [] },
      { error: { code: 429, status: 'RESOURCE_EXHAUSTED', details: [{ retryDelay: '7s' }] } },
    ],
  ])('%s: an error has its shape and says when to try again', async (path, body, expected) => {
    const text = script([{ say: 'hi', fault: { status: 429, retry_after: 7 } }]);
    const message = path === geminiPath ? { role: 'user', parts: [{ text }] } : user(text);
    const [key = ''] = Object.keys(body).slice(-1);
    const response = await post(path, { ...body, [key]: [message] });
    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after')).toBe('7');
    expect(await response.json()).toMatchObject(expected);
  });

  test.each([
    [chatPath, { tools: [{ type: 'function', function: bash }], tool_choice: 'none', messages: [] }],
    ['/v1/responses', { tools: [{ type: 'function', ...bash }], tool_choice: 'none', input: [] }],
    ['/v1/messages', { tools: [bash], tool_choice: { type: 'none' }, max_tokens: 99, messages: [] }],
    [
      geminiPath,
      {
        tools: [{ functionDeclarations: [bash] }],
        toolConfig: { functionCallingConfig: { mode: 'NONE' } },
        contents: [],
      },
    ],
  ])('%s: a tool that must not be called is none', async (path, body) => {
    const message = path === geminiPath ? { role: 'user', parts: [{ text: prompt() }] } : user(prompt());
    const [key = ''] = Object.keys(body).slice(-1);
    const answer = await (await post(path, { ...body, [key]: [message] })).text();
    expect(answer).toContain('No tool to run with is offered; there are: none');
  });

  test('what a service refuses is refused in its shape', async () => {
    const missing = await post('/v1/messages', { model: 'm', messages: [user('hi')] });
    expect([missing.status, await missing.json()]).toMatchObject([400, { error: { type: 'invalid_request_error' } }]);
    const empty = await post('/v1/messages', { model: 'm', max_tokens: 9, messages: [user('')] });
    expect(empty.status).toBe(400);
    const orphan = await post(chatPath, { messages: [{ role: 'tool', tool_call_id: 'call_x', content: '' }] });
    expect([orphan.status, await orphan.text()]).toMatchObject([400, expect.stringContaining('call_x')]);
    expect((await post(chatPath, '{')).status).toBe(400);
    expect((await post('/v1/other', {})).status).toBe(404);
  });
});

test('faults in a list come one after the other, and an answer can be late', async () => {
  const fault = [{ status: 500, times: 2 }, { status: 429 }];
  const body = { model: 'm', messages: [user(script([{ say: 'hi', fault, delay: 20 }]))] };
  const startedMs = performance.now();
  const statuses = [];
  for (const _ of [1, 2, 3, 4]) statuses.push((await post(chatPath, body)).status);
  expect(statuses).toEqual([500, 500, 429, 200]);
  expect(performance.now() - startedMs).toBeGreaterThan(70);
});

test('a stamped text tells when each word was sent, as it is sent', async () => {
  const body = { model: 'm', stream: true, messages: [user(script([{ tokens: 5, stamp: true, token_delay: 2 }]))] };
  const text = await (await post(chatPath, body)).text();
  const stamps = [...text.matchAll(/"content":"(\d)@(\d+) "/g)].map(([, n, at]) => ({ n, at: Number(at) }));
  expect(stamps.map(({ n }) => n)).toEqual(['0', '1', '2', '3', '4']);
  const [first, last] = [stamps[0]?.at ?? 0, stamps[4]?.at ?? 0];
  // Four pauses of 2 ms, of which a timer may be 1 ms early.
  expect(last - first).toBeGreaterThan(4_000_000);
  expect(last).toBeLessThanOrEqual(Number(process.hrtime.bigint()));
});

test('only as many requests are kept as wanted, and closing breaks what hangs', async () => {
  const small = await startScriptedModel({ keepRequests: 2 });
  const send = (text: string) =>
    fetch(small.url + chatPath, { method: 'POST', body: JSON.stringify({ model: text, messages: [user(text)] }) });
  for (const text of ['a', 'b', 'c']) await (await send(text)).text();
  expect(small.requests.map(({ model }) => model)).toEqual(['b', 'c']);
  const hanging = send(script([{ say: 'hi', fault: { hang: true } }]));
  await expect.poll(() => small.requests.at(-1)?.step?.index).toBe(0);
  await Promise.all([expect(hanging).rejects.toThrow(), small.close()]);
});
