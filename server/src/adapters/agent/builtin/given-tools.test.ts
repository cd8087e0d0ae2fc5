import { setImmediate } from 'node:timers/promises';
import { script } from '@guildhall/scripted-model';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { modelKinds } from '../../../lib/models.ts';
import type { Sandbox } from '../../sandbox/port.ts';
import type { AgentTool, AgentToolResult } from '../port.ts';
import { openStage, runTurn, type Stage } from './builtin-fixture.ts';

let stage: Stage;
let sandbox: Sandbox;

beforeAll(async () => {
  stage = await openStage();
  sandbox = await stage.sandbox();
});

afterAll(() => stage.close());

/** Returns a tool that records its calls. */
function tool(name: string, run: (input: unknown) => AgentToolResult | Promise<AgentToolResult>, readOnly = false) {
  const calls: unknown[] = [];
  const given: AgentTool = {
    name,
    description: `What ${name} does.`,
    input: { type: 'object', properties: { city: { type: 'string', examples: ['Turku'] } }, required: ['city'] },
    readOnly,
    title: () => `Ask ${name}`,
    run: async (input) => {
      calls.push(input);
      return run(input);
    },
  };
  return { given, calls };
}

const call = (name: string, input: Record<string, unknown> = { city: 'Oulu' }) => ({ call: { name, input } });

/** Returns the model's last request. */
function told(): string {
  return JSON.stringify(stage.model.requests.at(-1)?.body);
}

function offered(): unknown[] {
  const tools = stage.model.requests.at(-1)?.body['tools'];
  return Array.isArray(tools) ? tools : [];
}

describe('a tool that the agent is given', () => {
  test('is offered as it is, called, and its answer is on record like any other', async () => {
    const weather = tool('weather__now', () => ({ ok: true, output: 'Rain, says hunter2.', artifactId: 'art_1' }));
    const seat = await stage.seat(sandbox, {
      tools: [weather.given],
      mask: (text) => text.replaceAll('hunter2', '********'),
    });
    await runTurn(seat, script([call('weather__now')], { say: 'It rains.' }));
    expect(weather.calls).toEqual([{ city: 'Oulu' }]);
    const { name, description, input } = weather.given;
    expect(offered()).toContainEqual(expect.objectContaining({ name, description, input_schema: input }));
    expect(seat.of('tool_call')).toMatchObject([{ name, title: `Ask ${name}`, input: { city: 'Oulu' } }]);
    expect(seat.of('tool_result')).toMatchObject([{ ok: true, output: 'Rain, says ********.', artifactId: 'art_1' }]);
    expect(told()).toContain('Rain, says ********.');
    expect(told()).not.toContain('hunter2');
  });

  test('does not take the place of one of its own, and only looks where nothing may change', async () => {
    const nothing = () => ({ ok: true, output: '' });
    const tools = [tool('shell', nothing), tool('write_it', nothing), tool('look_up', nothing, true)];
    const settings = { mode: 'ask' as const };
    const seat = await stage.seat(sandbox, { settings, tools: tools.map(({ given }) => given) });
    await runTurn(seat, script([call('write_it')]));
    const names = offered().map((one) => Object(one).name);
    expect(names).toContain('look_up');
    expect(names).not.toContain('shell');
    expect(names).not.toContain('write_it');
    expect(seat.of('tool_result')).toMatchObject([{ ok: false, output: expect.stringContaining('There is no tool') }]);
    expect(tools.flatMap(({ calls }) => calls)).toEqual([]);
  });

  test('that fails, or says far too much, is a result', async () => {
    const broken = tool('broken', () => Promise.reject(new Error('The line is down.')));
    const long = tool('long', () => ({ ok: true, output: 'x'.repeat(100_000) }));
    const seat = await stage.seat(sandbox, { tools: [broken.given, long.given] });
    const result = await runTurn(seat, script([call('broken'), call('long')], { say: 'Went on.' }));
    expect(result).toEqual({ stopReason: 'end_turn', summary: 'Went on.' });
    const [failure, bounded] = seat.of('tool_result');
    expect(failure).toMatchObject({ ok: false, output: 'The tool failed: The line is down.' });
    expect(String(bounded?.output).length).toBeLessThan(31_000);
    expect(bounded?.output).toContain('characters left out');
  });

  test('that only looks runs a few times at once, however often one answer calls it', async () => {
    let running = 0;
    const seen: number[] = [];
    const look = async () => {
      running += 1;
      seen.push(running);
      await setImmediate();
      running -= 1;
      return { ok: true, output: '' };
    };
    const watch = tool('watch', look, true);
    const seat = await stage.seat(sandbox, { tools: [watch.given] });
    const parallel = Array.from({ length: 40 }, (_, at) => call('watch', { city: `Oulu ${at}` }));
    await runTurn(seat, script([{ parallel }]));
    expect(seat.of('tool_result')).toHaveLength(40);
    expect(Math.max(...seen)).toBe(8);
  });

  test('is left alone when the turn is interrupted, also when it does not listen', async () => {
    const stuck = tool('stuck', () => new Promise(() => undefined));
    const seat = await stage.seat(sandbox, { tools: [stuck.given] });
    const turn = runTurn(seat, script([call('stuck')]));
    await seat.seen(({ kind }) => kind === 'tool_call');
    await seat.agent.interrupt();
    expect(await turn).toMatchObject({ stopReason: 'canceled' });
  });

  test('that may have changed something is not called again after a loss; one that looks is', async () => {
    for (const [readOnly, expected] of [
      [false, { ok: false, output: expect.stringContaining('lost the machine') }],
      [true, { ok: true, output: 'Done.' }],
    ] as const) {
      const once = tool('once', () => ({ ok: true, output: 'Done.' }), readOnly);
      const text = script([call('once')]);
      const first = await stage.seat(sandbox, { tools: [once.given] });
      await runTurn(first, text);
      const again = tool('once', () => ({ ok: true, output: 'Done.' }), readOnly);
      const seat = await stage.seat(sandbox, { tools: [again.given], records: first.records.slice(0, 2) });
      expect(await runTurn(seat, text)).toMatchObject({ stopReason: 'end_turn' });
      expect(seat.of('tool_result')).toMatchObject([expected]);
      expect(again.calls).toHaveLength(readOnly ? 1 : 0);
    }
  });

  test('and is there no more after a loss, is not taken for one that never was', async () => {
    const gone = tool('gone', () => ({ ok: true, output: 'Done.' }));
    const text = script([call('gone')]);
    const first = await stage.seat(sandbox, { tools: [gone.given] });
    await runTurn(first, text);
    const seat = await stage.seat(sandbox, { records: first.records.slice(0, 2) });
    await runTurn(seat, text);
    expect(seat.of('tool_result')).toMatchObject([
      { ok: false, output: expect.stringContaining('effects are unknown') },
    ]);
  });
});

describe('images', () => {
  const picture = (letter: string) => ({ mediaType: 'image/png', data: letter.repeat(400) });
  const camera = () => {
    let shots = 0;
    return tool('camera', () => {
      shots += 1;
      return { ok: true, output: `Shot ${shots}.`, images: [picture('ABCDEFG'[shots] ?? 'Z')] };
    });
  };

  test.each(modelKinds)('reach a model of %s that sees, and no other', async (provider) => {
    const seat = await stage.seat(sandbox, { model: stage.agentModel(provider), tools: [camera().given] });
    const result = await runTurn(seat, script([call('camera')], { say: 'A letter.' }));
    expect(result).toMatchObject({ stopReason: 'end_turn', summary: 'A letter.' });
    expect(told()).toContain('Shot 1.');
    expect(told().includes(picture('B').data)).toBe(provider !== 'openai_compatible');
  });

  test('that are old are not sent again, and stay on record', async () => {
    const seat = await stage.seat(sandbox, { tools: [camera().given] });
    await runTurn(seat, script(Array.from({ length: 5 }, () => call('camera'))));
    const sent = ['B', 'C', 'D', 'E', 'F'].filter((letter) => told().includes(picture(letter).data));
    expect(sent).toEqual(['D', 'E', 'F']);
    expect(JSON.stringify(seat.records)).toContain(picture('B').data);
  });

  test('that are no images, or too large, are left out', async () => {
    const images = [
      { mediaType: 'image/svg+xml', data: 'PHN2Zz4=' },
      { mediaType: 'image/png', data: 'A'.repeat(2_000_000) },
    ];
    const odd = tool('odd', () => ({ ok: true, output: 'Two.', images }));
    const seat = await stage.seat(sandbox, { tools: [odd.given] });
    await runTurn(seat, script([call('odd')]));
    expect(seat.of('tool_result')).toMatchObject([{ output: 'Two.\n[2 images could not be shown]' }]);
    expect(JSON.stringify(seat.records).length).toBeLessThan(10_000);
  });

  test('that a model refuses are left out for it, and the turn goes on', async () => {
    const seat = await stage.seat(sandbox, { tools: [camera().given] });
    const steps = [call('camera'), { ...call('camera'), fault: { status: 400, times: 1 } }];
    expect(await runTurn(seat, script(steps, { say: 'Read.' }))).toMatchObject({ summary: 'Read.' });
    expect(seat.of('warning')).toMatchObject([{ code: 'images_left_out' }]);
    expect(told()).not.toContain(picture('C').data);
  });
});

test('a briefing stands in the instructions of every call, behind the words of the owner', async () => {
  const settings = { systemPrompt: 'Mind the heron.', briefing: '# What is known\n\nThe reeds are tall.' };
  const seat = await stage.seat(sandbox, { settings });
  const before = stage.model.requests.length;
  await runTurn(seat, script([{ run: 'true' }]));
  const instructions = stage.model.requests.slice(before).map(({ body }) => JSON.stringify(body['system']));
  expect(instructions).toHaveLength(2);
  expect(instructions[1]).toBe(instructions[0]);
  expect(instructions[0]).toMatch(/Mind the heron\.[^]*# Context[^]*# What is known\\n\\nThe reeds are tall\./);
});
