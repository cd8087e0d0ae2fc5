import { randomBytes } from 'node:crypto';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { probeKind, connectMs, type ProbeAnswer } from '../../features/mcp-servers/probe-service.ts';
import { serverToTry, type ReadyServer } from '../../features/mcp-servers/public.ts';
import { settingsReader } from '../../features/settings/service.ts';
import { messageOf, notFound } from '../../lib/errors.ts';
import { createMask } from '../../lib/mask/mask.ts';
import { maskedJson } from '../../lib/mask/json.ts';
import type { WorkerContext } from '../context.ts';
import { workerSandboxLimits, lowerLimits } from '../session/attempt/work-settings.ts';
import { connectTo, spawnServer, McpServerError, type Connection, type ServerAddress } from './connection.ts';

type ProbeContext = Pick<WorkerContext, 'config' | 'db' | 'keyRing' | 'gateway' | 'sandbox'>;

const Input = Type.Object({ org_id: Type.String(), server_id: Type.String() });
const maxProblemLength = 500;

/** Low, because each probe may need a sandbox in addition to those of the sessions. */
const concurrency = 4;

/** Tests MCP servers for the API. The returned function stops it and aborts running tests. */
export function serveMcpProbes(ctx: ProbeContext & Pick<WorkerContext, 'workerCalls'>) {
  const { config, workerCalls } = ctx;
  const handlers = {
    [probeKind]: async (input: unknown, { signal }: { signal: AbortSignal }) =>
      probe(ctx, Value.Parse(Input, input), signal),
  };
  return workerCalls.serve(config.processId, handlers, { concurrency });
}

/** Connects to a server as a session would: a URL through a gateway endpoint, a command in a sandbox of its own. */
async function probe(
  ctx: ProbeContext,
  { org_id: orgId, server_id: id }: { org_id: string; server_id: string },
  callerSignal: AbortSignal,
): Promise<ProbeAnswer> {
  const server = await serverToTry(ctx, orgId, id);
  if (server === undefined) throw notFound('mcp_server', id);
  const late = AbortSignal.timeout(connectMs);
  const signal = AbortSignal.any([callerSignal, late]);
  const startedAt = performance.now();
  const mask = createMask(server.secrets.values());
  const elapsedMs = (): number => Math.round(performance.now() - startedAt);
  let latencyMs: number | undefined;
  const answer = { server: { name: '', version: '', protocol_version: '' }, tools: [], problem: '', refused: '' };
  const toAnswer = (found: Omit<ProbeAnswer, 'latency_ms'>): ProbeAnswer =>
    maskedJson({ ...found, latency_ms: latencyMs ?? elapsedMs() }, (text) => mask.text(text));
  const cleanUps: (() => Promise<void>)[] = [];
  try {
    const way = await open(ctx, { orgId, server, signal }, cleanUps);
    const connection: Connection = await connectTo(way, signal);
    cleanUps.push(() => connection.close());
    latencyMs = elapsedMs();
    const { name, version, protocolVersion } = connection.server;
    const { tools } = await connection.listTools(signal);
    return toAnswer({
      ...answer,
      server: { name, version, protocol_version: protocolVersion },
      tools: tools.map((tool) => ({ name: tool.name, description: tool.description, input_schema: { ...tool.input } })),
    });
  } catch (error) {
    callerSignal.throwIfAborted();
    const problem = late.aborted ? `The server did not respond within ${connectMs / 1_000} s.` : messageOf(error);
    const refused = error instanceof McpServerError ? error.refused : '';
    return toAnswer({ ...answer, problem: mask.text(problem).slice(0, maxProblemLength), refused });
  } finally {
    for (const cleanUp of cleanUps.reverse()) await cleanUp();
  }
}

async function open(
  ctx: ProbeContext,
  { orgId, server, signal }: { orgId: string; server: ReadyServer; signal: AbortSignal },
  cleanUps: (() => Promise<void>)[],
): Promise<ServerAddress> {
  if (server.problem !== '') throw new McpServerError(server.problem);
  const settings = await settingsReader(ctx.db.kysely, orgId, ['sandbox']);
  const sandboxSettings = settings('sandbox');
  const { network, allowed_hosts: allowedHosts } = sandboxSettings;
  const id = `${server.id}-probe-${randomBytes(4).toString('hex')}`;
  const { slug, url, headers, secrets } = server;
  const servers = [{ slug, url, headers, values: [...secrets.values()] }];
  const endpoint = await ctx.gateway.open({
    id,
    holds: async () => true,
    repositories: [],
    mcpServers: () => servers,
    network,
    allowedHosts,
  });
  cleanUps.push(() => endpoint.close());
  if (url !== '') return endpoint.hostMcpServer(slug);
  const sandbox = await ctx.sandbox.create({
    id,
    limits: lowerLimits(sandboxSettings, await workerSandboxLimits(ctx)),
    gateway: await endpoint.address(),
    signal,
  });
  cleanUps.push(() => sandbox.destroy());
  const env = { ...(await endpoint.environment(sandbox.gatewayUrl)), ...server.env };
  return { start: () => spawnServer(sandbox, { command: server.command, args: server.args, env }) };
}
