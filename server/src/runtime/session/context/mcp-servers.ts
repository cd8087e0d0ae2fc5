import type { AgentTool, AgentToolResult } from '../../../adapters/agent/port.ts';
import { connectMs } from '../../../features/mcp-servers/probe-service.ts';
import { isProgramOfOthers, serversForSession, type ReadyServer } from '../../../features/mcp-servers/public.ts';
import type { GivenServer } from '../../../features/sessions/schemas/context-schemas.ts';
import { mcpServerPath } from '../../../gateway/mcp-route.ts';
import { messageOf, ProviderError } from '../../../lib/errors.ts';
import { administrator } from '../../../lib/writer.ts';
import {
  connectTo,
  loadMcpClient,
  spawnServer,
  McpServerError,
  type Connection,
  type ServerAddress,
} from '../../mcp-servers/connection.ts';
import type { ListedTool } from '../../mcp-servers/tool-list.ts';
import { toolNames } from '../../mcp-servers/tool-names.ts';
import { toToolAnswer } from '../../mcp-servers/tool-result.ts';
import { ReconnectingServer } from '../../mcp-servers/reconnecting-server.ts';
import type { Attempt } from '../attempt/attempt.ts';
import { leftOutReason } from '../secrets/personal-secrets.ts';
import { HomeFiles } from './home-files.ts';
import type { ContextProvider, ContextInput } from './context-provider.ts';
import { chosenIds } from './chosen.ts';

type SessionServer = ReadyServer & { readonly reason: string; readonly isLeftOut?: boolean };

/** A server of the session, with a connection or a problem. */
interface ConnectedServer {
  readonly server: SessionServer;
  readonly transport: GivenServer['transport'];
  readonly problem: string;
  readonly instructions: string;
  readonly tools: readonly AgentTool[];
  /** The server's own descriptions, in the order of `tools`. */
  readonly listed: readonly ListedTool[];
  readonly connection: ReconnectingServer | undefined;
}

/** Characters of a result that the agent gets; an artifact has the rest. */
const shownLength = 30_000;
const maxProblemLength = 500;

/**
 * Connects a session to its MCP servers, all at once. A dead or slow one is left out with a warning. In the middle of a run
 * only the servers and tools of the earlier start are provided again.
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
  const servers = found.map((server) => checkAuthor(attempt, server));
  addToGateway(input, servers);
  // Loaded before the deadline starts, because it may take long on a busy machine.
  await loadMcpClient();
  const deadline = AbortSignal.timeout(connectMs);
  const tried = await waitForAll(servers.map((server) => tryServer(input, server, deadline, known)));
  await writeConfig(input, tried).catch(async (error: unknown) => {
    await closeAll(tried);
    throw error;
  });
  return {
    given: known ?? tried.map(toGiven),
    section: instructionsSection(tried),
    tools: tried.flatMap(({ tools }) => tools),
    close: () => closeAll(tried),
  };
};

/** Leaves out a program that another member wrote if the session has personal secrets. */
function checkAuthor(attempt: Pick<Attempt, 'personalSecrets'>, server: SessionServer): SessionServer {
  if (
    !isProgramOfOthers(server, attempt.personalSecrets.owner) ||
    attempt.personalSecrets.admit(`the MCP server ${server.slug}`)
  )
    return server;
  return { ...server, problem: leftOutReason('It is a command'), isLeftOut: true };
}

/** Makes the servers reachable through the gateway, and masks their secrets. */
function addToGateway({ attempt, checkoutSet }: ContextInput, servers: readonly SessionServer[]): void {
  for (const { slug, secrets } of servers)
    for (const [name, value] of secrets) attempt.secrets.addSecret(`${name} of the MCP server ${slug}`, value);
  const reachable = servers
    .filter(({ url, problem }) => url !== '' && problem === '')
    .map(({ slug, url, headers, secrets }) => ({ slug, url, headers, values: [...secrets.values()] }));
  checkoutSet.mcpServers.replace(reachable);
}

async function closeAll(tried: readonly ConnectedServer[]): Promise<void> {
  await Promise.all(tried.map(async ({ connection }) => connection?.close()));
}

/** Waits for all servers. If one rejects (the sandbox is lost), closes the others first. */
async function waitForAll(trying: readonly Promise<ConnectedServer>[]): Promise<ConnectedServer[]> {
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
): Promise<ConnectedServer> {
  const { attempt } = input;
  const way = addressOf(input, server);
  const signal = AbortSignal.any([attempt.control.signal, deadline]);
  let connection: Connection | undefined;
  try {
    if (server.problem !== '') throw new McpServerError(server.problem);
    connection = await connectTo(way, signal);
    const { tools: all, omitted } = await connection.listTools(signal);
    const listed = all.filter(({ name }) => isKnown(server, name, known));
    if (omitted > 0)
      attempt.events.warn(
        'tool_server_trimmed',
        `The MCP server ${server.name} (${server.slug}) offers too many or invalid tools; ${omitted} are left out.`,
      );
    const reconnecting = new ReconnectingServer(way, connection);
    const { transport, instructions } = connection;
    return {
      server,
      transport,
      problem: '',
      instructions,
      listed,
      connection: reconnecting,
      tools: agentTools(input, server, reconnecting, listed),
    };
  } catch (error) {
    void connection?.close();
    attempt.control.signal.throwIfAborted();
    if (error instanceof ProviderError) throw error;
    const said = deadline.aborted ? `It did not respond within ${connectMs / 1_000} s.` : messageOf(error);
    const problem = attempt.secrets.mask.text(said).slice(0, maxProblemLength);
    attempt.events.warn(
      'tool_server_unavailable',
      `The MCP server ${server.name} (${server.slug}) is left out. ${problem}`,
    );
    const transport = server.url === '' ? 'stdio' : 'http';
    return { server, transport, problem, instructions: '', listed: [], connection: undefined, tools: [] };
  }
}

/** In the middle of a run, true only for tools of the earlier start. */
function isKnown({ id }: SessionServer, tool: string, known: readonly GivenServer[] | undefined): boolean {
  return known === undefined || known.some((given) => given.id === id && given.tools.some(({ name }) => name === tool));
}

/** Returns the address of a server. Its program gets its own secrets, and none of the session's. */
function addressOf(
  { checkoutSet, sessionSandbox }: ContextInput,
  { slug, url, command, args, env }: ReadyServer,
): ServerAddress {
  if (url !== '') return checkoutSet.endpoint.hostMcpServer(slug);
  return {
    start: () => spawnServer(sessionSandbox.sandbox, { command, args, env: { ...sessionSandbox.base, ...env } }),
  };
}

function agentTools(
  { attempt }: ContextInput,
  server: SessionServer,
  reconnecting: ReconnectingServer,
  listed: readonly ListedTool[],
): AgentTool[] {
  const names = toolNames(
    server.slug,
    listed.map(({ name }) => name),
  );
  return listed.map((tool, at) => {
    const { name, title, description, input, readOnly } = tool;
    const shown = attempt.secrets.masked({ title: title === '' ? name : title, description, input });
    return {
      name: names[at] ?? name,
      description: shown.description,
      input: shown.input,
      // A server's own claim counts only if an administrator saved the server last.
      readOnly: readOnly && server.writers[0] === administrator,
      title: () => `${server.name}: ${shown.title}`,
      run: (given, { signal }) => run(attempt, reconnecting, { server, name }, given, signal),
    };
  });
}

async function run(
  attempt: Pick<Attempt, 'secrets' | 'blobs'>,
  reconnecting: ReconnectingServer,
  { server, name }: { server: SessionServer; name: string },
  input: unknown,
  signal: AbortSignal,
): Promise<AgentToolResult> {
  try {
    const answer = toToolAnswer(await reconnecting.call(name, { ...Object(input) }, signal));
    const text = await attempt.secrets.mask.longText(answer.text);
    const { ok, images } = answer;
    if (text.length <= shownLength) return { ok, output: text, images };
    const artifactId = await attempt.blobs.keepArtifact(`${server.slug}-${name}.txt`, () => Buffer.from(text));
    return { ok, output: text.slice(0, 4 * shownLength), images, artifactId };
  } catch (error) {
    if (!(error instanceof McpServerError)) throw error;
    const said = attempt.secrets.mask.text(error.message).slice(0, maxProblemLength);
    return { ok: false, output: `The call to the MCP server ${server.name} failed. ${said}` };
  }
}

function toGiven({ server, transport, listed, problem }: ConnectedServer): GivenServer {
  const { id, slug, name, reason } = server;
  const tools = listed.map((tool) => ({ name: tool.name, description: tool.description }));
  return { id, slug, name, transport, tools, problem, reason };
}

function instructionsSection(tried: readonly ConnectedServer[]): string {
  const parts = tried.flatMap(({ server, instructions, problem }) => {
    if (problem !== '') return [];
    const words = [server.description, instructions].map((text) => text.trim()).filter((text) => text !== '');
    return [[`## ${server.name} (\`${server.slug}__…\`)`, ...words].join('\n\n')];
  });
  return parts.length === 0 ? '' : ['# MCP servers', ...parts].join('\n\n');
}

const configPath = '.guildhall/mcp.json';

/**
 * Writes the common `mcpServers` configuration for programs in the sandbox: URLs lead through the gateway, and names stand in
 * for secrets. Warns if the file cannot be written.
 */
async function writeConfig(
  { attempt, sessionSandbox }: ContextInput,
  tried: readonly ConnectedServer[],
): Promise<void> {
  const mcpServers = Object.fromEntries(
    tried
      .filter(({ server }) => server.isLeftOut !== true)
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
  const problem = files.problem('with the MCP servers');
  if (problem !== '') attempt.events.warn('tool_server_config', problem);
}
