import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { talks, type Answer, type AskOptions, type Talk } from './clients-fixture.ts';
import { script, startScriptedModel, type ScriptedModel } from './index.ts';

let server: ScriptedModel;
beforeAll(async () => {
  server = await startScriptedModel();
});
afterAll(() => server.close());

const stops = {
  chat: { end: 'stop', calls: 'tool_calls', length: 'length' },
  responses: { end: 'completed', calls: 'completed', length: 'max_output_tokens' },
  messages: { end: 'end_turn', calls: 'tool_use', length: 'max_tokens' },
  gemini: { end: 'STOP', calls: 'STOP', length: 'MAX_TOKENS' },
};
const cases = (['chat', 'responses', 'messages', 'gemini'] as const).flatMap((api) => [
  { api, stream: false },
  { api, stream: true },
]);

/** Asks until an answer has no calls. */
async function run(talk: Talk, options: AskOptions): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (;;) {
    const answer = await talk.ask(options);
    answers.push(answer);
    if (answer.calls.length === 0) return answers;
  }
}

describe.each(cases)("the service's own client: $api, streamed: $stream", ({ api, stream }) => {
  const talk = (text?: string): Talk => {
    const started = talks[api](server.url);
    if (text !== undefined) started.say(text);
    return started;
  };

  test('holds a whole conversation with tools', async () => {
    const prompt = script(
      [
        {
          run: 'echo "ü 🙂"',
          think: 'Let me see.',
          text: 'First a look.',
          usage: { input: 90, output: 20, cached: 60 },
        },
        { parallel: [{ write: { path: 'a', content: 'one\ntwo' } }, { run: 'cat a' }] },
      ],
      { id: `whole-${api}-${stream}`, say: 'All is done.' },
    );
    const answers = await run(talk(`Please:\n\n${prompt}\n\nThank you.`), { stream });
    expect(answers).toMatchObject([
      {
        think: 'Let me see.',
        text: 'First a look.',
        calls: [{ name: 'bash', input: { command: 'echo "ü 🙂"' } }],
        stop: stops[api].calls,
        usage: { input: 90, output: 20, cached: 60 },
      },
      {
        text: '',
        calls: [
          { name: 'write_file', input: { file_path: 'a', content: 'one\ntwo' } },
          { name: 'bash', input: { command: 'cat a' } },
        ],
        stop: stops[api].calls,
      },
      { text: 'All is done.', calls: [], stop: stops[api].end },
    ]);
    const counted = answers[2]?.usage;
    expect(counted).toMatchObject({ output: 3, cached: 0 });
    expect(counted?.input).toBeGreaterThan(answers[1]?.usage.input ?? Infinity);
    const recorded = server.requests.filter(({ step }) => step?.script === `whole-${api}-${stream}`);
    expect(recorded.map(({ step, model, api: spoken }) => [step?.index, model, spoken])).toEqual([
      [0, 'm', api],
      [1, 'm', api],
      [2, 'm', api],
    ]);
  });

  test('a later message goes on with the script, and one with a script of its own begins that', async () => {
    const talking = talk(script([{ say: 'one' }, { run: 'two' }, { say: 'three' }]));
    expect(await run(talking, { stream })).toMatchObject([{ text: 'one' }]);
    talking.say('Go on.');
    expect(await run(talking, { stream })).toMatchObject([{ calls: [{ name: 'bash' }] }, { text: 'three' }]);
    talking.say(script([{ run: 'other' }], { say: 'bye' }));
    expect(await run(talking, { stream })).toMatchObject([
      { calls: [{ input: { command: 'other' } }] },
      { text: 'bye' },
    ]);
  });

  test('a text longer than the tokens allowed is cut', async () => {
    const answer = await talk(script([{ tokens: 50 }])).ask({ stream, maxTokens: 7 });
    expect(answer).toMatchObject({ text: 'w0 w1 w2 w3 w4 w5 w6 ', stop: stops[api].length, usage: { output: 7 } });
  });

  test.each([429, 500, 503, 529])('status %i is an error of the client, as often as wanted', async (status) => {
    const talking = talk(script([{ run: 'ls', fault: { status, times: 2, retry_after: 3 } }]));
    await expect(talking.ask({ stream })).rejects.toMatchObject({ status });
    await expect(talking.ask({ stream })).rejects.toMatchObject({ status });
    await expect(talking.ask({ stream })).resolves.toMatchObject({ calls: [{ name: 'bash' }] });
  });

  test.each([0, 2, 1_000_000])('a connection that breaks after %i deltas or bytes fails, once', async (cut) => {
    const talking = talk(script([{ say: 'one two three four five', fault: { cut } }]));
    await expect(talking.ask({ stream })).rejects.toThrow();
    await expect(talking.ask({ stream })).resolves.toMatchObject({ text: 'one two three four five' });
  });

  test('a body that is no answer fails, once', async () => {
    const talking = talk(script([{ say: 'one two', fault: { nonsense: true } }]));
    await expect(talking.ask({ stream })).rejects.toThrow();
    await expect(talking.ask({ stream })).resolves.toMatchObject({ text: 'one two' });
  });

  test('hangs until the client gives up, and answers the next time', async () => {
    const id = `hang-${api}-${stream}`;
    const talking = talk(script([{ say: 'here', fault: { hang: true } }], { id }));
    const gaveUp = new AbortController();
    const hanging = talking.ask({ stream, signal: gaveUp.signal });
    await expect.poll(() => server.requests.some(({ step }) => step?.script === id)).toBe(true);
    gaveUp.abort();
    await expect(hanging).rejects.toThrow();
    await expect(talking.ask({ stream })).resolves.toMatchObject({ text: 'here' });
  });

  test('an empty answer is one', async () => {
    const talking = talk(script([{ run: 'ls', fault: { empty: true } }]));
    expect(await talking.ask({ stream })).toMatchObject({ text: '', calls: [], stop: stops[api].end });
    expect(await talking.ask({ stream })).toMatchObject({ calls: [{ name: 'bash' }] });
  });

  test('refuses a call without its result', async () => {
    const talking = talk(script([{ run: 'ls' }]));
    talking.leaveUnanswered();
    await talking.ask({ stream });
    talking.say('And?');
    await expect(talking.ask({ stream })).rejects.toMatchObject({ status: 400 });
  });

  test('the end of a script is kept by a summary too', async () => {
    const talking = talk(script([{ run: 'one' }], { say: 'The end.' }));
    await talking.ask({ stream });
    talking.say('Summarize.');
    const { text } = await talking.ask({ stream, tools: false });
    expect(await run(talk(`${text}\nGo on.`), { stream })).toMatchObject([{ text: 'The end.' }]);
  });

  test('whoever summarizes without tools is given the script, from where it is', async () => {
    const talking = talk(script([{ run: 'one' }, { run: 'two' }, { run: 'three' }]));
    await talking.ask({ stream });
    await talking.ask({ stream });
    talking.say('Summarize.');
    const { text } = await talking.ask({ stream, tools: false });
    const fresh = talk(`The story so far: ${text}`);
    expect(await run(fresh, { stream })).toMatchObject([
      { calls: [{ input: { command: 'three' } }] },
      { text: 'Done.' },
    ]);
  });

  test('without a script it says so', async () => {
    const { text } = await talk('Hello there').ask({ stream });
    expect(text).toMatch(/no script.*Hello there/);
  });
});
