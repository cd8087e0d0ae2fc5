import { Type, type Static, type TSchema } from 'typebox';
import { Value } from 'typebox/value';
import type { AgentTool } from '../../../adapters/agent/port.ts';
import { GivenNote } from '../../../features/knowledge/given.ts';
import {
  GivenBrowser,
  GivenMemory,
  GivenServer,
  GivenSkill,
  type GivenSetting,
} from '../../../features/sessions/schemas/context-schemas.ts';
import { contextOfRun, recordContext } from '../../../features/sessions/api/context-service.ts';
import { LeaseLost } from '../../../features/sessions/run/run-service.ts';
import { settingsReader } from '../../../features/settings/service.ts';
import { messageOf, ProviderError } from '../../../lib/errors.ts';
import { equipBrowser } from './browser.ts';
import { equipKnowledge } from './knowledge.ts';
import { equipMemory } from './memory.ts';
import type { Equip, Outfit, Part } from './context-provider.ts';
import { equipSkills } from './skills.ts';
import { equipServers } from './mcp-servers.ts';

/** What the session's agent is given in one sandbox. */
export interface Equipment {
  /** Rejects when the sandbox is lost or the turn is to end; whoever asks is told. */
  readonly ready: Promise<Equipped>;
  /** Ends what was started for it; never rejects. Happens at the attempt's end in any case. */
  close(): Promise<void>;
}

interface Equipped {
  /** The same text whenever the session is given the same. */
  readonly briefing: string;
  readonly tools: readonly AgentTool[];
}

type AnyEquip = (outfit: Outfit, before: unknown, start: 'cold' | 'again') => Promise<Part<unknown>>;

/** One kind of equipment, with the shape of what is on record of it. */
function kind<Given extends TSchema>(given: Given, equipWith: Equip<Static<Given>>): AnyEquip {
  const known = Type.Array(given);
  return (outfit, before, start) => equipWith(outfit, Value.Check(known, before) ? before : undefined, start);
}

/** By the name under which it is on record, in the order in which an agent is told of it. */
const kinds: ReadonlyMap<string, AnyEquip> = new Map<string, AnyEquip>([
  ['knowledge', kind(GivenNote, equipKnowledge)],
  ['memory', kind(GivenMemory, equipMemory)],
  ['skills', kind(GivenSkill, equipSkills)],
  ['browser', kind(GivenBrowser, equipBrowser)],
  ['mcp_servers', kind(GivenServer, equipServers)],
]);

/**
 * Begins to equip the agent of a session in a sandbox that has the repositories. Nobody has to wait before the agent is
 * seated: a check on the base commit runs meanwhile.
 */
export function equip(outfit: Outfit): Equipment {
  const parts: Part<unknown>[] = [];
  const ready = equipAll(outfit, parts);
  ready.catch(noop);
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => (closed ??= ready.then(noop, noop).then(() => closeAll(parts)));
  outfit.attempt.onClose(close);
  return { ready, close };
}

function noop(): void {}

async function closeAll(parts: readonly Part<unknown>[]): Promise<void> {
  await Promise.all(parts.map(async (part) => part.close?.()));
}

/** What is started goes into `parts`, also when something else fails. */
async function equipAll(outfit: Outfit, parts: Part<unknown>[]): Promise<Equipped> {
  const { ctx, run, secrets, signal } = outfit.attempt;
  const [{ equipped, given }, settings] = await Promise.all([contextOfRun(ctx, run), settingsInForce(outfit)]);
  const before = Object(given ?? {});
  const start = equipped ? 'again' : 'cold';
  const results = await Promise.allSettled(
    [...kinds].map(async ([name, equipWith]) => {
      const part = await equipOne(outfit, name, () => equipWith(outfit, before[name], start));
      parts.push(part);
      return [name, part] as const;
    }),
  );
  for (const result of results) if (result.status === 'rejected') throw result.reason;
  signal.throwIfAborted();
  const all = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  if (start === 'cold') {
    const record = Object.fromEntries(all.map(([name, part]) => [name, part.given]));
    await recordContext(ctx, run, secrets.masked({ ...record, settings }));
  }
  const sections = all.map(([, { section }]) => section.trim()).filter((section) => section !== '');
  const tools = all.flatMap(([, part]) => part.tools).map((tool) => masked(tool, outfit));
  return { briefing: secrets.mask.text(sections.join('\n\n')), tools };
}

/** What the organization's settings have to say about the session, for its record. */
async function settingsInForce({ attempt: { ctx, run, settings } }: Outfit): Promise<readonly GivenSetting[]> {
  const read = await settingsReader(ctx.db.kysely, run.orgId, ['knowledge', 'memory']);
  return [
    {
      namespace: 'knowledge',
      value: read('knowledge'),
      reason: 'says how many notes it is given, and whether it suggests some',
    },
    { namespace: 'memory', value: read('memory'), reason: 'says whether it has a memory' },
    { namespace: 'sandbox', value: settings.sandbox, reason: 'limits its sandbox and what that reaches' },
    { namespace: 'source_control', value: settings.source_control, reason: 'says how its work is delivered' },
  ];
}

/** What a tool server says of its tools may be anything; what the tools answer is masked where it is used. */
function masked(tool: AgentTool, { attempt: { secrets } }: Outfit): AgentTool {
  return {
    name: tool.name,
    description: secrets.mask.text(tool.description),
    input: secrets.masked(tool.input),
    readOnly: tool.readOnly,
    title: (input) => tool.title(input),
    run: (input, options) => tool.run(input, options),
  };
}

/** A kind that fails in a way it did not foresee is missing, and the session goes on without it. */
async function equipOne(
  { attempt }: Outfit,
  name: string,
  equipIt: () => Promise<Part<unknown>>,
): Promise<Part<unknown>> {
  try {
    return await equipIt();
  } catch (error) {
    attempt.signal.throwIfAborted();
    if (error instanceof ProviderError || error instanceof LeaseLost) throw error;
    attempt.ctx.log.error({ session: attempt.run.id, kind: name, err: error }, 'a session was not equipped');
    attempt.warn('equipment_missing', `The session has no ${name.replaceAll('_', ' ')}: ${messageOf(error)}`);
    return { given: [], section: '', tools: [] };
  }
}
