import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startScriptedModel, type ScriptedModel } from '@guildhall/scripted-model';
import { openModelWorld, type ModelWorld, type ModelWorldOptions } from '../../../../test/support/models.ts';
import { createLog } from '../../../lib/log.ts';
import type { ModelKind } from '../../../lib/models.ts';
import type { Sandbox } from '../../sandbox/port.ts';
import { createProcessDriver } from '../../sandbox/process/driver.ts';
import type {
  Agent,
  AgentEvent,
  AgentMessage,
  AgentModel,
  AgentOptions,
  AgentRecord,
  AgentResult,
  AgentSettings,
  AgentState,
} from '../port.ts';
import { createBuiltinRunner } from './builtin-agent.ts';

export type EventOf<Kind extends AgentEvent['kind']> = AgentEvent & { kind: Kind };

/** A started agent, and everything that its worker received. */
export interface Seat {
  agent: Agent;
  events: AgentEvent[];
  records: AgentRecord[];
  states: AgentState[];
  of<Kind extends AgentEvent['kind']>(kind: Kind): EventOf<Kind>[];
  /** Returns the text of all messages, as streamed. */
  text(kind?: 'message' | 'thought'): string;
  /** Resolves with the first event that matches, past or future. */
  seen(matches: (event: AgentEvent) => boolean): Promise<AgentEvent>;
}

/** Sandboxes, the scripted model and the gateway between it and the agents. */
export interface Stage {
  model: ScriptedModel;
  world: ModelWorld;
  sandbox(): Promise<Sandbox>;
  agentModel(provider?: ModelKind, options?: Partial<AgentModel>): AgentModel;
  /** Starts an agent; `steer` are the messages for each request of it. */
  seat(sandbox: Sandbox, options?: SeatOptions): Promise<Seat>;
  close(): Promise<void>;
}

export type SeatOptions = Partial<Omit<AgentOptions, 'settings'>> & { settings?: Partial<AgentSettings> };

export const defaultSettings: AgentSettings = {
  mode: 'build',
  systemPrompt: '',
  briefing: '',
  model: 'anthropic/claude-sonnet-5',
  maxTokens: null,
  temperature: null,
  runtimeConfig: {},
};

/** Retries without a noticeable wait. */
export const runner = createBuiltinRunner({ retryBaseMs: 1 });

export async function openStage(options: Partial<ModelWorldOptions> = {}): Promise<Stage> {
  const root = await mkdtemp(join(tmpdir(), 'builtin-agent-'));
  const model = await startScriptedModel();
  const world = await openModelWorld({ url: model.url, directory: root, ...options });
  const driver = createProcessDriver({ root: join(root, 'sandboxes'), log: createLog('silent') });
  const sandboxes: Sandbox[] = [];
  const agentModel: Stage['agentModel'] = (provider = 'anthropic', changes = {}) => {
    const { url, headers } = world.endpoint.hostModel(provider);
    return { provider, kind: provider, name: 'claude-sonnet-5', url, headers, contextTokens: 200_000, ...changes };
  };
  return {
    model,
    world,
    agentModel,
    async sandbox() {
      const limits = { cpu: 1, memory_mb: 512, disk_mb: 512, pids: 100 };
      const sandbox = await driver.create({ id: `ses_${sandboxes.length + 1}`, limits });
      sandboxes.push(sandbox);
      return sandbox;
    },
    seat: (sandbox, given = {}) => seatAgent(sandbox, { model: agentModel(), ...given }),
    async close() {
      for (const sandbox of sandboxes) await sandbox.destroy();
      await world.close();
      await model.close();
      await rm(root, { recursive: true, force: true });
    },
  };
}

async function seatAgent(sandbox: Sandbox, { settings, ...given }: SeatOptions): Promise<Seat> {
  const events: AgentEvent[] = [];
  const records: AgentRecord[] = [...(given.records ?? [])];
  const states: AgentState[] = [];
  const watching = new Set<() => void>();
  const emit = (more: readonly AgentEvent[]) => {
    events.push(...more);
    for (const look of watching) look();
  };
  const agent = await runner.start({
    sessionId: 'ses_42',
    sandbox,
    settings: { ...defaultSettings, ...settings },
    onEvent: (event) => emit([event]),
    onStep: async (state) => void states.push(structuredClone(state)),
    record: async (entries, more) => {
      records.push(...entries.map((entry): AgentRecord => JSON.parse(JSON.stringify(entry))));
      emit(more);
    },
    keepOutput: async (commandId) => `art_${commandId}`,
    ...given,
  });
  const isOf =
    <Kind extends AgentEvent['kind']>(kind: Kind) =>
    (event: AgentEvent): event is EventOf<Kind> =>
      event.kind === kind;
  return {
    agent,
    events,
    records,
    states,
    of: (kind) => events.filter(isOf(kind)),
    text: (kind = 'message') => events.flatMap((event) => (event.kind === kind ? [event.delta] : [])).join(''),
    seen: (matches) =>
      new Promise((resolve) => {
        const look = () => {
          const found = events.find(matches);
          if (found === undefined) return;
          watching.delete(look);
          resolve(found);
        };
        watching.add(look);
        look();
      }),
  };
}

/** Messages that wait until the agent requests them. */
export class Mailbox {
  #waiting: AgentMessage[] = [];

  put(text: string): void {
    this.#waiting.push({ text });
  }

  take = async (): Promise<AgentMessage[]> => this.#waiting.splice(0);
}

/** Runs a turn from its prompt to its result. */
export function runTurn(seat: Seat, text: string, turn = 1): Promise<AgentResult> {
  return seat.agent.prompt({ turn, text });
}
