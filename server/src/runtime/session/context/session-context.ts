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
import { provideBrowser } from './browser.ts';
import { provideKnowledge } from './knowledge.ts';
import { provideMemory } from './memory.ts';
import type { ContextProvider, ContextInput, ContextPart } from './context-provider.ts';
import { provideSkills } from './skills.ts';
import { provideServers } from './mcp-servers.ts';

/** What the session's agent is given in one sandbox. */
export interface SessionContext {
  /** Rejects when the sandbox is lost or the turn is to end; whoever asks is told. */
  readonly ready: Promise<ProvidedContext>;
  /** Ends what was started for it; never rejects. Happens at the attempt's end in any case. */
  close(): Promise<void>;
}

interface ProvidedContext {
  /** The same text whenever the session is given the same. */
  readonly briefing: string;
  readonly tools: readonly AgentTool[];
}

type AnyProvider = (input: ContextInput, before: unknown, start: 'cold' | 'again') => Promise<ContextPart<unknown>>;

/** One kind of context, with the shape of what is on record of it. */
function kind<Given extends TSchema>(given: Given, provider: ContextProvider<Static<Given>>): AnyProvider {
  const known = Type.Array(given);
  return (input, before, start) => provider(input, Value.Check(known, before) ? before : undefined, start);
}

/** By the name under which it is on record, in the order in which an agent is told of it. */
const kinds: ReadonlyMap<string, AnyProvider> = new Map<string, AnyProvider>([
  ['knowledge', kind(GivenNote, provideKnowledge)],
  ['memory', kind(GivenMemory, provideMemory)],
  ['skills', kind(GivenSkill, provideSkills)],
  ['browser', kind(GivenBrowser, provideBrowser)],
  ['mcp_servers', kind(GivenServer, provideServers)],
]);

/**
 * Begins to give the agent of a session its context, in a sandbox that has the repositories. Nobody waits for it before
 * the agent starts: a check on the base commit runs meanwhile.
 */
export function provideContext(input: ContextInput): SessionContext {
  const parts: ContextPart<unknown>[] = [];
  const ready = provideAll(input, parts);
  ready.catch(noop);
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => (closed ??= ready.then(noop, noop).then(() => closeAll(parts)));
  input.attempt.resources.onClose(close);
  return { ready, close };
}

function noop(): void {}

async function closeAll(parts: readonly ContextPart<unknown>[]): Promise<void> {
  await Promise.all(parts.map(async (part) => part.close?.()));
}

/** What is started goes into `parts`, also when something else fails. */
async function provideAll(input: ContextInput, parts: ContextPart<unknown>[]): Promise<ProvidedContext> {
  const { ctx, run, secrets, control } = input.attempt;
  const [{ equipped, given }, settings] = await Promise.all([contextOfRun(ctx, run), settingsInForce(input)]);
  const before = Object(given ?? {});
  const start = equipped ? 'again' : 'cold';
  const results = await Promise.allSettled(
    [...kinds].map(async ([name, provider]) => {
      const part = await provideOne(input, name, () => provider(input, before[name], start));
      parts.push(part);
      return [name, part] as const;
    }),
  );
  for (const result of results) if (result.status === 'rejected') throw result.reason;
  control.signal.throwIfAborted();
  const all = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  if (start === 'cold') {
    const record = Object.fromEntries(all.map(([name, part]) => [name, part.given]));
    await recordContext(ctx, run, secrets.masked({ ...record, settings }));
  }
  const sections = all.map(([, { section }]) => section.trim()).filter((section) => section !== '');
  const tools = all.flatMap(([, part]) => part.tools).map((tool) => masked(tool, input));
  return { briefing: secrets.mask.text(sections.join('\n\n')), tools };
}

/** What the organization's settings have to say about the session, for its record. */
async function settingsInForce({ attempt: { ctx, run, settings } }: ContextInput): Promise<readonly GivenSetting[]> {
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
function masked(tool: AgentTool, { attempt: { secrets } }: ContextInput): AgentTool {
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
async function provideOne(
  { attempt }: ContextInput,
  name: string,
  provide: () => Promise<ContextPart<unknown>>,
): Promise<ContextPart<unknown>> {
  try {
    return await provide();
  } catch (error) {
    attempt.control.signal.throwIfAborted();
    if (error instanceof ProviderError || error instanceof LeaseLost) throw error;
    attempt.ctx.log.error({ session: attempt.run.id, kind: name, err: error }, 'a session lacks a part of its context');
    attempt.events.warn('equipment_missing', `The session has no ${name.replaceAll('_', ' ')}: ${messageOf(error)}`);
    return { given: [], section: '', tools: [] };
  }
}
