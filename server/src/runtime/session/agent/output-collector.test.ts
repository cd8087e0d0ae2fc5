import { script } from '@guildhall/scripted-model';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createModelFixture, type ModelFixture } from '../../../../test/support/model-sessions.ts';
import type { SessionInput } from '../../../../test/support/sessions.ts';

let fixture: ModelFixture;
beforeAll(async () => {
  fixture = await createModelFixture();
}, 60_000);
beforeEach(() => fixture.worker());
afterAll(() => fixture.close());

const schema = {
  type: 'object',
  properties: { risk: { enum: ['low', 'high'] }, files: { type: 'array', items: { type: 'string' } } },
  required: ['risk'],
  additionalProperties: false,
};
const required = { structured_output_schema: schema, structured_output_required: true };
const submit = (input: Record<string, unknown>) => ({ call: { name: 'submit_output', input } });
const path = (id: string, rest = '') => `/v3/organizations/default/sessions/${id}${rest}`;

async function look(id: string) {
  const { json } = await fixture.api.call('GET', path(id));
  const events = await fixture.events(id);
  const data = (kind: string) => events.filter((event) => event.kind === kind).map((event) => event.data);
  return {
    record: json,
    outputs: data('structured_output').map(({ value }) => value),
    warnings: data('warning').filter(({ code }) => code === 'structured_output_invalid'),
    results: data('tool_result').map(({ ok, output }) => [ok, output]),
    pushed: data('branch_pushed'),
  };
}

async function run(input: SessionInput) {
  return look((await fixture.run(input)).id);
}

describe('a script', () => {
  const steps = (...commands: string[]) => ({ steps: commands.map((command) => ({ run: command })), summary: 'Done.' });

  test('writes its output into the file that GUILDHALL_OUTPUT names; it is no part of the change, and masked', async () => {
    const repository = await fixture.repository({ a: '1\n' });
    const seen = await run({
      repository,
      ...required,
      session_secrets: [{ key: 'TOKEN', value: 'canary-0123456789' }],
      agent: steps('echo 2 > a', `printf '{"risk":"low","files":["a","%s"]}' "$TOKEN" > "$GUILDHALL_OUTPUT"`),
    });
    expect(seen.record).toMatchObject({
      status: 'completed',
      structured_output: { risk: 'low', files: ['a', '********'] },
      change_requests: [{ number: 1 }],
    });
    expect(seen.outputs).toEqual([{ risk: 'low', files: ['a', '********'] }]);
    expect(seen.warnings).toEqual([]);
    expect(await fixture.changeRequests(repository)).toMatchObject([{ changed_files: 1 }]);
  });

  test('keeps what a finished step wrote, even if the file is deleted later', async () => {
    const write = `echo '{"risk":"high"}' > "$GUILDHALL_OUTPUT"`;
    const seen = await run({ repositories: [], ...required, agent: steps(write, 'rm "$GUILDHALL_OUTPUT"') });
    expect(seen.record).toMatchObject({ status: 'completed', structured_output: { risk: 'high' } });
  });

  test('that writes no output although one is required fails; its branch is pushed without a change request', async () => {
    const repository = await fixture.repository({ a: '1\n' });
    const seen = await run({ repository, ...required, verify_command: 'grep 2 a', agent: steps('echo 2 > a') });
    expect(seen.record).toMatchObject({
      status: 'failed',
      status_detail: 'agent_error',
      verification: '',
      structured_output: null,
      error: { code: 'structured_output_missing', message: expect.stringContaining('GUILDHALL_OUTPUT') },
      change_requests: [],
    });
    expect(seen.record['phases']).toContainEqual(
      expect.objectContaining({
        name: 'deliver',
        status: 'passed',
        summary: expect.stringMatching(
          /^Pushed guildhall\/.*\. No change request: The session has no structured output\.$/,
        ),
      }),
    );
    expect(seen.pushed).toHaveLength(1);
    expect(await fixture.changeRequests(repository)).toEqual([]);
  });

  test.each([
    ['what does not fit', '{"risk":"some","more":1}', '/risk must be one of ["low","high"].'],
    ['no JSON', '{"risk":', 'The file is not valid JSON'],
    ['null', 'null', 'must not be null'],
    ['NUL', '{"risk":"low","files":["\\u0000"]}', '/files/0 contains U+0000'],
    ['depth', '['.repeat(10_000) + ']'.repeat(10_000), 'nested too deep'],
  ])('that writes %s although an output is required fails, and is told why', async (_name, text, why) => {
    const agent = steps(`cat > "$GUILDHALL_OUTPUT" <<'END'\n${text}\nEND`);
    const seen = await run({ repositories: [], ...required, agent });
    expect(seen.record).toMatchObject({
      status: 'failed',
      status_detail: 'agent_error',
      structured_output: null,
      error: { code: 'structured_output_invalid', message: expect.stringContaining(why) },
    });
    expect(seen.outputs).toEqual([]);
  });

  test('whose output is not a file, or whose schema has a slow pattern, fails with the reason and delays nobody else', async () => {
    const slow = { type: 'string', pattern: '^(a+)+$' };
    const write = `printf '"%s!"' ${'a'.repeat(60)} > "$GUILDHALL_OUTPUT"`;
    const [late, odd] = await Promise.all([
      run({ repositories: [], ...required, structured_output_schema: slow, agent: steps(write) }),
      run({ repositories: [], ...required, agent: steps('mkfifo "$GUILDHALL_OUTPUT"') }),
    ]);
    expect(late.record['error']).toMatchObject({ message: expect.stringContaining('takes longer than 2 s') });
    expect(odd.record['error']).toMatchObject({
      code: 'structured_output_invalid',
      message: expect.stringContaining('The file cannot be read'),
    });
  });

  test('whose output is optional gets one warning for an invalid one, and its work is delivered', async () => {
    const repository = await fixture.repository({ a: '1\n' });
    const wrong = `echo '{"risk":1}' > "$GUILDHALL_OUTPUT"`;
    const seen = await run({
      repository,
      structured_output_schema: schema,
      agent: steps('echo 2 > a', wrong, 'true'),
    });
    expect(seen.record).toMatchObject({ status: 'completed', structured_output: null, change_requests: [{}] });
    expect(seen.warnings).toMatchObject([{ message: expect.stringContaining('/risk must be one of') }]);
  });
});

describe('the built-in agent', () => {
  test('has a tool with the schema, is told what does not fit, and a later turn replaces its output', async () => {
    const from = fixture.model.requests.length;
    const prompt = script([submit({ risk: 'some' }), submit({ risk: 'low', files: ['a'] }), { say: 'Done.' }]);
    const session = await fixture.run({ repositories: [], ...required, prompt });
    const seen = await look(session.id);
    expect(seen.record).toMatchObject({ status: 'completed', structured_output: { risk: 'low', files: ['a'] } });
    expect(seen.results).toEqual([
      [false, expect.stringContaining('/risk must be one of ["low","high"].')],
      [true, expect.stringContaining('Output saved')],
    ]);
    expect([seen.outputs, seen.warnings]).toEqual([[{ risk: 'low', files: ['a'] }], []]);
    expect(JSON.stringify(fixture.model.requests[from]?.body['tools'])).toContain('"enum":["low","high"]');
    const content = script([submit({ risk: 'high' }), { say: 'Replaced.' }]);
    await fixture.api.call('POST', path(session.id, '/messages'), { body: { content } });
    await fixture.event(session.id, ({ kind, turn }) => kind === 'structured_output' && turn === 2);
    await fixture.reaches(session.id, 'completed');
    expect((await look(session.id)).record['structured_output']).toEqual({ risk: 'high' });
  });

  test('is not asked again for an output that it handed in before another worker took over', async () => {
    const prompt = script([submit({ risk: 'low' }), { run: 'sleep 2' }, { say: 'Done.' }]);
    const { id } = await fixture.create({ repositories: [], ...required, prompt });
    await fixture.event(id, ({ kind, data }) => kind === 'command' && data['command'] === 'sleep 2');
    await fixture.stopWorkers();
    await fixture.startWorker();
    expect(await fixture.reaches(id, 'completed', 'failed')).toMatchObject({ status: 'completed', attempt_no: 2 });
    const seen = await look(id);
    expect([seen.record['structured_output'], seen.outputs]).toEqual([{ risk: 'low' }, [{ risk: 'low' }]]);
  });

  test('that ends without what its session needs is told so twice; then the session fails', async () => {
    const say = { say: 'I am done.' };
    const seen = await run({ repositories: [], ...required, mode: 'ask', prompt: script([say, say, say, say]) });
    expect(seen.record).toMatchObject({
      status: 'failed',
      status_detail: 'agent_error',
      error: { code: 'structured_output_missing', message: expect.stringContaining('submit_output') },
    });
    const usage = (await fixture.events(String(seen.record['id']))).filter(({ kind }) => kind === 'usage');
    expect(usage).toHaveLength(3);
  });

  test('that is told of it and hands it in goes on to the end, in a session that changes nothing', async () => {
    const prompt = script([{ say: 'Done.' }, submit({ risk: 'low' }), { say: 'Handed in.' }]);
    const seen = await run({ repositories: [], ...required, prompt });
    expect(seen.record).toMatchObject({ status: 'completed', structured_output: { risk: 'low' } });
  });

  test('has two more tries after a wrong one, and no others', async () => {
    const wrong = submit({ risk: 'some' });
    const prompt = script([wrong, wrong, wrong, submit({ risk: 'low' }), { say: 'Done.' }]);
    const seen = await run({ repositories: [], ...required, prompt });
    expect(seen.results.map(([ok]) => ok)).toEqual([false, false, false, false]);
    expect(seen.record['error']).toMatchObject({ code: 'structured_output_invalid' });
  });

  test('hands in a value below the key output if the schema does not describe an object', async () => {
    const list = { type: 'array', items: { $ref: '#/$defs/name' }, $defs: { name: { type: 'string' } } };
    const prompt = script([submit({ output: ['a', 1] }), submit({ output: ['a', 'b'] }), { say: 'Done.' }]);
    const seen = await run({ repositories: [], structured_output_schema: list, prompt });
    expect(seen.results[0]).toEqual([false, expect.stringContaining('/1 must be string.')]);
    expect(seen.record).toMatchObject({ status: 'completed', structured_output: ['a', 'b'] });
  });
});
