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
import { conversationUntil } from '../../../features/sessions/api/transcript-service.ts';
import { LeaseLost } from '../../../features/sessions/run/run-service.ts';
import { messageOf, ProviderError } from '../../../lib/errors.ts';
import { provideBrowser } from './browser.ts';
import { codeTools } from './code-tools.ts';
import { followupTools } from './followup-tool.ts';
import { provideKnowledge } from './knowledge.ts';
import { provideMemory } from './memory.ts';
import type { ContextProvider, ContextInput, ContextPart } from './context-provider.ts';
import { provideSkills } from './skills.ts';
import { provideServers } from './mcp-servers.ts';

/** The agent's context in one sandbox. */
export interface SessionContext {
  /** Rejects if the sandbox is lost or the turn was stopped. */
  readonly ready: Promise<ProvidedContext>;
  /** Stops everything it started. Never rejects. The attempt's end calls it in any case. */
  close(): Promise<void>;
}

interface ProvidedContext {
  /** Deterministic: the same context gives the same text. */
  readonly briefing: string;
  readonly tools: readonly AgentTool[];
}

type AnyProvider = (input: ContextInput, before: unknown, start: 'cold' | 'again') => Promise<ContextPart<unknown>>;

/** Pairs a provider with the schema of its record. */
function kind<Given extends TSchema>(given: Given, provider: ContextProvider<Static<Given>>): AnyProvider {
  const known = Type.Array(given);
  return (input, before, start) => provider(input, Value.Check(known, before) ? before : undefined, start);
}

/** Providers by the name of their record, in the order of the agent's instructions. */
const kinds: ReadonlyMap<string, AnyProvider> = new Map<string, AnyProvider>([
  ['knowledge', kind(GivenNote, provideKnowledge)],
  ['memory', kind(GivenMemory, provideMemory)],
  ['skills', kind(GivenSkill, provideSkills)],
  ['browser', kind(GivenBrowser, provideBrowser)],
  ['mcp_servers', kind(GivenServer, provideServers)],
]);

/**
 * Starts to provide a session's context, in a sandbox with the repositories checked out. A check on the base commit may run
 * meanwhile: only the agent's start waits for it.
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

/** Adds each provided part to `parts`, even if another one fails. */
async function provideAll(input: ContextInput, parts: ContextPart<unknown>[]): Promise<ProvidedContext> {
  const { ctx, run, secrets, control } = input.attempt;
  const [{ equipped, given }, forked, ...others] = await Promise.all([
    contextOfRun(ctx, run),
    forkedSection(input),
    codeTools(input),
    followupTools(input.attempt),
  ]);
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
    await recordContext(ctx, run, secrets.masked({ ...record, settings: sessionSettings(input) }));
  }
  const told = [forked, continuedSection(input), ...all.map(([, { section }]) => section.trim())];
  const sections = told.filter((section) => section !== '');
  const tools = [...all.flatMap(([, part]) => part.tools), ...others.flat()].map((tool) => maskTool(tool, input));
  return { briefing: secrets.mask.text(sections.join('\n\n')), tools };
}

/** Tells an agent without a memory of the conversation what was said and done in the session that this one is forked from. */
async function forkedSection({ attempt: { ctx, run, session }, hasMemory }: ContextInput): Promise<string> {
  if (session.forked_from === '' || hasMemory) return '';
  const seq = Number(session.options['forked_at']);
  const told = await conversationUntil(ctx, { orgId: run.orgId, sessionId: session.forked_from, seq });
  const files = 'This session is a fork of an earlier one: its work tree has the files of that session at that time.';
  return told === ''
    ? files
    : `# The session until now\n\n${files} What was said and done until then follows; you cannot see anything else of it.\n\n<earlier_session>\n${told}\n</earlier_session>`;
}

/** Tells of the change requests that the session continues. */
function continuedSection({ attempt }: ContextInput): string {
  const lines = attempt.progress.repositories.flatMap(({ repo, branch, base_ref, change_request: number }) =>
    number === undefined
      ? []
      : [
          `You continue change request ${number} of ${repo}: its branch \`${branch}\`, with the base \`${base_ref}\`, is checked out with its commits. Your commits are added to them; do not rewrite them.`,
        ],
  );
  return lines.join('\n');
}

/** Returns the organization's settings that apply to the session, for its record. */
function sessionSettings({ attempt: { settings } }: ContextInput): readonly GivenSetting[] {
  return [
    {
      namespace: 'knowledge',
      value: settings.knowledge,
      reason: 'sets how many notes the session gets, and whether its agent may suggest notes',
    },
    { namespace: 'memory', value: settings.memory, reason: 'enables memory' },
    { namespace: 'sandbox', value: settings.sandbox, reason: "limits the sandbox's resources and network" },
    { namespace: 'source_control', value: settings.source_control, reason: 'sets how work is delivered' },
  ];
}

/** Masks a tool's description and schema, which an MCP server may choose freely. Results are masked where they are used. */
function maskTool(tool: AgentTool, { attempt: { secrets } }: ContextInput): AgentTool {
  return {
    name: tool.name,
    description: secrets.mask.text(tool.description),
    input: secrets.masked(tool.input),
    readOnly: tool.readOnly,
    title: (input) => tool.title(input),
    run: (input, options) => tool.run(input, options),
  };
}

/** Calls one provider. After an unexpected failure the session continues without this kind of context. */
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
    attempt.ctx.log.error(
      { session: attempt.run.id, kind: name, err: error },
      'failed to provide a part of the context',
    );
    attempt.events.warn('equipment_missing', `The session has no ${name.replaceAll('_', ' ')}: ${messageOf(error)}`);
    return { given: [], section: '', tools: [] };
  }
}
