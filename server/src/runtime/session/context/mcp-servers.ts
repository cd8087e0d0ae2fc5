import type { AgentTool, AgentToolResult } from '../../../adapters/agent/port.ts';
import { isProgramOfOthers, serversForSession, type ReadyServer } from '../../../features/mcp-servers/public.ts';
import type { GivenServer } from '../../../features/sessions/schemas/context-schemas.ts';
import { mcpServerPath } from '../../../gateway/mcp-route.ts';
import { messageOf, ProviderError } from '../../../lib/errors.ts';
import { administrator } from '../../../lib/writer.ts';
import {
  connectTo,
  loadToolClient,
  spawnServer,
  ToolServerProblem,
  type Connection,
  type Way,
} from '../../tool-servers/connection.ts';
import type { OfferedTool } from '../../tool-servers/listing.ts';
import { toolNames } from '../../tool-servers/names.ts';
import { answerOf } from '../../tool-servers/result.ts';
import { ReconnectingServer } from '../../tool-servers/reconnecting-server.ts';
import type { Attempt } from '../attempt/attempt.ts';
import { keptOutReason } from '../secrets/personal-secrets.ts';
import { HomeFiles } from './home-files.ts';
import type { ContextProvider, ContextInput } from './context-provider.ts';
import { chosenIds } from './chosen.ts';

type SessionServer = ReadyServer & { readonly reason: string; readonly isKeptOut?: boolean };

/** A server that a session was to get: with a connection, or with a problem. */
interface Tried {
  readonly server: SessionServer;
  readonly transport: GivenServer['transport'];
  readonly problem: string;
  readonly instructions: string;
  readonly tools: readonly AgentTool[];
  /** As the server calls them, in the order of `tools`. */
  readonly offered: readonly OfferedTool[];
  readonly seat: ReconnectingServer | undefined;
}

/** All servers together have this long, so that one that is dead costs no more. */
const connectMs = 5_000;
/** Of an answer, as much as any agent takes; the rest is in an artifact. */
const shownLength = 30_000;
const maxProblemLength = 500;

/**
 * Connects a session to the tool servers that apply to it, all at once. One that is dead or slow is left out with one
 * warning. In the middle of a run only the servers and tools that were there before are there again.
 */
export const provideServers: ContextProvider<GivenServer> = async (input, before, start) => {
  const { attempt } = input;
  const known = start === 'again' ? (before ?? []).filter(({ problem }) => problem === '') : undefined;
  const found = await serversForSession(attempt.ctx, {
    orgId: attempt.run.orgId,
    repositories: attempt.progress.repositories,
    ids: known?.map(({ id }) => id) ?? chosenIds(attempt.session.options, 'mcp_server_ids'),
  });
  if (found.length === 0) return { given: known ?? [], section: '', tools: [] };
  const servers = found.map((server) => letIn(attempt, server));
  openWays(input, servers);
  // What a busy machine takes for it is no fault of the servers.
  await loadToolClient();
  const deadline = AbortSignal.timeout(connectMs);
  const tried = await settled(servers.map((server) => tryServer(input, server, deadline, known)));
  await writeConfig(input, tried).catch(async (error: unknown) => {
    await closeAll(tried);
    throw error;
  });
  return {
    given: known ?? tried.map(givenOf),
    section: sectionOf(tried),
    tools: tried.flatMap(({ tools }) => tools),
    close: () => closeAll(tried),
  };
};

/** A program that somebody else wrote does not run beside what is the session's creator's own. */
function letIn(attempt: Pick<Attempt, 'personalSecrets'>, server: SessionServer): SessionServer {
  if (
    !isProgramOfOthers(server, attempt.personalSecrets.owner) ||
    attempt.personalSecrets.admit(`the tool server ${server.slug}`)
  )
    return server;
  return { ...server, problem: keptOutReason('It is a command'), isKeptOut: true };
}

/** From now on the gateway leads to them, and what they are told is masked wherever it shows. */
function openWays({ attempt, checkoutSet }: ContextInput, servers: readonly SessionServer[]): void {
  for (const { slug, secrets } of servers)
    for (const [name, value] of secrets) attempt.secrets.addSecret(`${name} of the tool server ${slug}`, value);
  const reachable = servers
    .filter(({ url, problem }) => url !== '' && problem === '')
    .map(({ slug, url, headers, secrets }) => ({ slug, url, headers, values: [...secrets.values()] }));
  checkoutSet.toolServers.replace(reachable);
}

async function closeAll(tried: readonly Tried[]): Promise<void> {
  await Promise.all(tried.map(async ({ seat }) => seat?.close()));
}

/** What one lost sandbox makes fail is told when the others have come to their end, so that nothing is left behind. */
async function settled(trying: readonly Promise<Tried>[]): Promise<Tried[]> {
  const results = await Promise.allSettled(trying);
  const tried = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  for (const result of results) {
    if (result.status === 'fulfilled') continue;
    await closeAll(tried);
    throw result.reason;
  }
  return tried;
}

async function tryServer(
  input: ContextInput,
  server: SessionServer,
  deadline: AbortSignal,
  known: readonly GivenServer[] | undefined,
): Promise<Tried> {
  const { attempt } = input;
  const way = wayTo(input, server);
  const signal = AbortSignal.any([attempt.control.signal, deadline]);
  let connection: Connection | undefined;
  try {
    if (server.problem !== '') throw new ToolServerProblem(server.problem);
    connection = await connectTo(way, signal);
    const { tools: all, left } = await connection.listTools(signal);
    const offered = all.filter(({ name }) => isKnown(server, name, known));
    if (left > 0) attempt.events.warn('tool_server_trimmed', `${server.name}: ${left} of its tools are left out.`);
    const seat = new ReconnectingServer(way, connection);
    const { transport, instructions } = connection;
    return {
      server,
      transport,
      problem: '',
      instructions,
      offered,
      seat,
      tools: agentTools(input, server, seat, offered),
    };
  } catch (error) {
    void connection?.close();
    attempt.control.signal.throwIfAborted();
    if (error instanceof ProviderError) throw error;
    const said = deadline.aborted ? `It was not there within ${connectMs / 1_000} s.` : messageOf(error);
    const problem = attempt.secrets.mask.text(said).slice(0, maxProblemLength);
    attempt.events.warn(
      'tool_server_unavailable',
      `The tool server ${server.name} (${server.slug}) is left out. ${problem}`,
    );
    const transport = server.url === '' ? 'stdio' : 'http';
    return { server, transport, problem, instructions: '', offered: [], seat: undefined, tools: [] };
  }
}

/** In the middle of a run nothing newer comes in. */
function isKnown({ id }: SessionServer, tool: string, known: readonly GivenServer[] | undefined): boolean {
  return known === undefined || known.some((given) => given.id === id && given.tools.some(({ name }) => name === tool));
}

/** The program of a server has its own secrets, and none of the session's. */
function wayTo({ checkoutSet, sessionSandbox }: ContextInput, { slug, url, command, args, env }: ReadyServer): Way {
  if (url !== '') return checkoutSet.door.hostMcpServer(slug);
  return {
    start: () => spawnServer(sessionSandbox.sandbox, { command, args, env: { ...sessionSandbox.base, ...env } }),
  };
}

function agentTools(
  { attempt }: ContextInput,
  server: SessionServer,
  seat: ReconnectingServer,
  offered: readonly OfferedTool[],
): AgentTool[] {
  const names = toolNames(
    server.slug,
    offered.map(({ name }) => name),
  );
  return offered.map((tool, at) => {
    const { name, title, description, input, readOnly } = tool;
    const shown = attempt.secrets.masked({ title: title === '' ? name : title, description, input });
    return {
      name: names[at] ?? name,
      description: shown.description,
      input: shown.input,
      // What a server says of itself counts where an administrator answers for it.
      readOnly: readOnly && server.writers[0] === administrator,
      title: () => `${server.name}: ${shown.title}`,
      run: (given, { signal }) => run(attempt, seat, { server, name }, given, signal),
    };
  });
}

async function run(
  attempt: Pick<Attempt, 'secrets' | 'blobs'>,
  seat: ReconnectingServer,
  { server, name }: { server: SessionServer; name: string },
  input: unknown,
  signal: AbortSignal,
): Promise<AgentToolResult> {
  try {
    const answer = answerOf(await seat.call(name, { ...Object(input) }, signal));
    const text = await attempt.secrets.mask.longText(answer.text);
    const { ok, images } = answer;
    if (text.length <= shownLength) return { ok, output: text, images };
    const artifactId = await attempt.blobs.keepArtifact(`${server.slug}-${name}.txt`, () => Buffer.from(text));
    return { ok, output: text.slice(0, 4 * shownLength), images, artifactId };
  } catch (error) {
    if (!(error instanceof ToolServerProblem)) throw error;
    const said = attempt.secrets.mask.text(error.message).slice(0, maxProblemLength);
    return { ok: false, output: `The tool server ${server.name} could not be asked. ${said}` };
  }
}

function givenOf({ server, transport, offered, problem }: Tried): GivenServer {
  const { id, slug, name, reason } = server;
  const tools = offered.map((tool) => ({ name: tool.name, description: tool.description }));
  return { id, slug, name, transport, tools, problem, reason };
}

function sectionOf(tried: readonly Tried[]): string {
  const parts = tried.flatMap(({ server, instructions, problem }) => {
    if (problem !== '') return [];
    const words = [server.description, instructions].map((text) => text.trim()).filter((text) => text !== '');
    return [[`## ${server.name} (\`${server.slug}__…\`)`, ...words].join('\n\n')];
  });
  return parts.length === 0 ? '' : ['# Tool servers', ...parts].join('\n\n');
}

const configPath = '.guildhall/mcp.json';

/**
 * For agents and programs inside, as most of them take it: URLs lead through the gateway, and where a secret goes stands
 * its name. Where a setup left something else there it is missing, which is no reason to fail.
 */
async function writeConfig({ attempt, sessionSandbox }: ContextInput, tried: readonly Tried[]): Promise<void> {
  const mcpServers = Object.fromEntries(
    tried
      .filter(({ server }) => server.isKeptOut !== true)
      .map(({ server: { slug, url, command, args, shownEnv }, transport }) => [
        slug,
        url === ''
          ? { command, args, env: shownEnv }
          : { type: transport, url: `${sessionSandbox.sandbox.gatewayUrl}${mcpServerPath(slug)}` },
      ]),
  );
  const files = new HomeFiles(attempt, sessionSandbox);
  await files.prepare([configPath]);
  await files.change(configPath, () => `${JSON.stringify({ mcpServers }, undefined, 2)}\n`);
  const problem = files.problem('that names the tool servers');
  if (problem !== '') attempt.events.warn('tool_server_config', problem);
}
