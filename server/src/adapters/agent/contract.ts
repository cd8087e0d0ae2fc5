import { setImmediate as tick } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ProviderError } from '../../lib/errors.ts';
import type {
  Agent,
  AgentEvent,
  AgentOptions,
  AgentRecord,
  AgentRunner,
  AgentSettings,
  AgentState,
  AgentTool,
} from './port.ts';
import type { AgentSandbox } from './sandbox.ts';

/** A runtime under test. */
export interface AgentUnderTest {
  runner: AgentRunner;
  /** A new sandbox that really runs commands. */
  sandbox: AgentSandbox;
  /** Options of the runtime beyond its settings, e.g. a model. */
  options?: (settings: AgentSettings) => Partial<AgentOptions>;
  /** Settings and prompt with which the agent runs these shell commands in the work tree, each as a step. */
  task(commands: string[]): { settings: AgentSettings; text: string };
  /** Makes an agent that takes tools call one of them. */
  callTool?(name: string, input: object): { settings: AgentSettings; text: string };
  /** Invalid settings. */
  unusable: AgentSettings;
  /** Kills the sandbox. */
  loseSandbox(): Promise<void>;
  close(): Promise<void>;
}

/** A started agent and its events. */
export interface Started {
  agent: Agent;
  events: AgentEvent[];
  states: AgentState[];
  records: AgentRecord[];
}

/** Contract of every agent runtime. */
export function agentContract(name: string, open: () => Promise<AgentUnderTest>): void {
  describe(`agent ${name}`, () => {
    let subject: AgentUnderTest;

    beforeEach(async () => {
      subject = await open();
    });

    afterEach(() => subject.close());

    async function start(settings: AgentSettings, options: Partial<AgentOptions> = {}): Promise<Started> {
      const events: AgentEvent[] = [];
      const states: AgentState[] = [];
      const records: AgentRecord[] = [];
      const agent = await subject.runner.start({
        sessionId: 'ses_1',
        sandbox: subject.sandbox,
        settings,
        onEvent: (event) => events.push(event),
        onStep: async (state) => void states.push(structuredClone(state)),
        record: async (entries, more) => {
          records.push(...structuredClone(entries));
          events.push(...more);
        },
        keepOutput: async () => 'art_1',
        ...subject.options?.(settings),
        ...options,
      });
      return { agent, events, states, records };
    }

    const read = async (file: string) => String(await subject.sandbox.readFile(`${subject.sandbox.workspace}/${file}`));

    test('runs a turn in the work tree and streams its commands', async () => {
      const { settings, text } = subject.task(['echo one; echo two >&2', 'echo three > file.txt']);
      const { agent, events, states } = await start(settings);
      const result = await agent.prompt({ turn: 1, text });
      expect(result).toMatchObject({ stopReason: 'end_turn' });
      expect(await read('file.txt')).toBe('three\n');
      const commands = events.filter((event) => event.kind === 'command');
      expect(commands).toHaveLength(4);
      expect(new Set(commands.map(({ commandId }) => commandId)).size).toBe(2);
      expect(commands.map(({ exitCode }) => exitCode)).toEqual([undefined, 0, undefined, 0]);
      expect(outputOf(events, 'stdout')).toBe('one\n');
      expect(outputOf(events, 'stderr')).toBe('two\n');
      expect(states.length).toBeGreaterThanOrEqual(2);
      await agent.close();
    });

    test('a message ends', async () => {
      const { settings, text } = subject.task(['true']);
      const { agent, events } = await start(settings);
      await agent.prompt({ turn: 1, text });
      const messages = events.flatMap((event) => (event.kind === 'message' || event.kind === 'thought' ? [event] : []));
      for (const { messageId } of messages) {
        expect(messages.findLast((message) => message.messageId === messageId)?.done).toBe(true);
      }
      await agent.close();
    });

    test('does what it is told in a second turn exactly where it says that it is conversational', async () => {
      const [first, second] = [subject.task(['echo one >> first.txt']), subject.task(['echo two > second.txt'])];
      const { agent } = await start(first.settings);
      await agent.prompt({ turn: 1, text: first.text });
      await agent.prompt({ turn: 2, text: second.text });
      const { conversational } = subject.runner.capabilities;
      expect(await read('second.txt').catch(() => '')).toBe(conversational ? 'two\n' : '');
      expect(await read('first.txt')).toBe(conversational ? 'one\n' : 'one\none\n');
    });

    test('starts without a model exactly where it says that its runner calls none', async () => {
      const { settings } = subject.task(['true']);
      const started = start(settings, { model: undefined });
      if (subject.runner.capabilities.models === 'worker')
        await expect(started).rejects.toMatchObject({ name: 'ProviderError', retryable: false });
      else await (await started).agent.close();
    });

    test('offers the tools that it is given exactly where it says that it takes tools', async () => {
      const { settings, text } = subject.callTool?.('note', { words: 'here' }) ?? subject.task(['true']);
      const given: unknown[] = [];
      const tool: AgentTool = {
        name: 'note',
        description: 'Notes something.',
        input: { type: 'object', properties: { words: { type: 'string' } } },
        readOnly: true,
        title: () => 'Note',
        run: async (input) => {
          given.push(input);
          return { ok: true, output: 'Noted.' };
        },
      };
      const { agent } = await start(settings, { tools: [tool] });
      await agent.prompt({ turn: 1, text });
      expect(given).toEqual(subject.runner.capabilities.takesTools ? [{ words: 'here' }] : []);
    });

    test('a second turn runs after the first', async () => {
      const { settings, text } = subject.task(['echo x >> file.txt']);
      const { agent } = await start(settings);
      await agent.prompt({ turn: 1, text });
      await agent.prompt({ turn: 2, text });
      expect(await read('file.txt')).toBe('x\nx\n');
      await agent.close();
    });

    test.each(['interrupt', 'signal', 'close'] as const)('a running turn ends by %s as canceled', async (way) => {
      const { settings, text } = subject.task(['echo started; sleep 60', 'echo no > second.txt']);
      const abort = new AbortController();
      const begun = Promise.withResolvers<void>();
      const { agent } = await start(settings, {
        onEvent: (event) => {
          if (event.kind === 'output' && event.text.includes('started')) begun.resolve();
        },
      });
      const turn = agent.prompt({ turn: 1, text, signal: abort.signal });
      await begun.promise;
      if (way === 'signal') abort.abort(new Error('enough'));
      else await agent[way]();
      expect(await turn).toMatchObject({ stopReason: 'canceled' });
      await expect(read('second.txt')).rejects.toThrow();
      await agent.close();
    });

    test('after an interrupt the next turn runs', async () => {
      const { settings, text } = subject.task(['echo x >> file.txt']);
      const { agent } = await start(settings);
      const turn = agent.prompt({ turn: 1, text, signal: AbortSignal.abort() });
      expect(await turn).toMatchObject({ stopReason: 'canceled' });
      expect(await agent.prompt({ turn: 2, text })).toMatchObject({ stopReason: 'end_turn' });
      expect(await read('file.txt')).toBe('x\n');
      await agent.close();
    });

    test('interrupting between turns and closing twice do nothing', async () => {
      const { settings } = subject.task(['true']);
      const { agent, events } = await start(settings);
      await agent.interrupt();
      await agent.close();
      await agent.close();
      await agent.interrupt();
      expect(events.filter(({ kind }) => kind === 'command')).toEqual([]);
    });

    test('resumed in a turn, it goes on behind the last finished step', async () => {
      const { settings, text } = subject.task([
        'echo 1 >> file.txt',
        'echo 2 >> file.txt',
        'test -e go || sleep 60; echo 3 >> file.txt',
      ]);
      const states: AgentState[] = [];
      const reached = Promise.withResolvers<AgentState>();
      const first = await start(settings, {
        onStep: async (state) => {
          states.push(state);
          if (states.length === 2) reached.resolve(JSON.parse(JSON.stringify(state)));
        },
      });
      const interrupted = first.agent.prompt({ turn: 1, text });
      const state = await reached.promise;
      await first.agent.close();
      expect(await interrupted).toMatchObject({ stopReason: 'canceled' });
      expect(await read('file.txt')).toBe('1\n2\n');
      await subject.sandbox.writeFile(`${subject.sandbox.workspace}/go`, '');
      // As another worker reads it: through JSON.
      const records: AgentRecord[] = JSON.parse(JSON.stringify(first.records));
      const second = await start(settings, { state, records });
      expect(await second.agent.prompt({ turn: 1, text })).toMatchObject({ stopReason: 'end_turn' });
      expect(await read('file.txt')).toBe('1\n2\n3\n');
      await second.agent.close();
    });

    test('a lost sandbox rejects the turn and fails nothing else', async () => {
      const { settings, text } = subject.task(['echo started; sleep 60']);
      const begun = Promise.withResolvers<void>();
      const { agent } = await start(settings, {
        onEvent: (event) => {
          if (event.kind === 'output') begun.resolve();
        },
      });
      const turn = agent.prompt({ turn: 1, text });
      const outcome = turn.then(
        () => 'resolved',
        (error: unknown) => error,
      );
      await begun.promise;
      await subject.loseSandbox();
      expect(await outcome).toBeInstanceOf(ProviderError);
      await agent.interrupt();
      await agent.close();
    });

    test('nothing is emitted after close', async () => {
      const { settings, text } = subject.task(['echo started; while true; do echo more; done']);
      const begun = Promise.withResolvers<void>();
      const events: AgentEvent[] = [];
      const { agent } = await start(settings, {
        onEvent: (event) => {
          events.push(event);
          if (event.kind === 'output') begun.resolve();
        },
      });
      const turn = agent.prompt({ turn: 1, text });
      await begun.promise;
      await agent.close();
      const count = events.length;
      await turn;
      await tick();
      expect(events).toHaveLength(count);
    });

    test('settings that cannot work are refused for good, with the reason', async () => {
      const refused = start(subject.unusable);
      await expect(refused).rejects.toBeInstanceOf(ProviderError);
      await expect(refused).rejects.toMatchObject({ retryable: false });
    });
  });
}

/** Joins the text of one stream of all commands. */
export function outputOf(events: AgentEvent[], stream: 'stdout' | 'stderr'): string {
  return events
    .filter((event) => event.kind === 'output')
    .filter((event) => event.stream === stream)
    .map(({ text }) => text)
    .join('');
}
