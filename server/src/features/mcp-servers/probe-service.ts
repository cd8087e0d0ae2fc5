import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import type { Actor, Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { AppError, ProviderError } from '../../lib/errors.ts';
import { createTurns } from '../../lib/turns.ts';
import { mutate } from '../../mutation/mutate.ts';
import { hasWorkers } from '../health/service.ts';
import { getMcpServer } from './service.ts';

type ProbeContext = Pick<Context, 'db' | 'clock' | 'workerCalls'>;

/** The job of a worker: connect to an MCP server and list its tools. */
export const probeKind = 'mcp_server.probe';
/** Limit for a connection to an MCP server, in a test and in a session; the answer of a test needs some time too. */
export const connectMs = 15_000;
const answerMs = connectMs + 10_000;

/** The result of a probe; contains no secrets. */
export const ProbeAnswer = Type.Object({
  latency_ms: Type.Integer(),
  server: Type.Object({ name: Type.String(), version: Type.String(), protocol_version: Type.String() }),
  tools: Type.Array(
    Type.Object({
      name: Type.String(),
      description: Type.String(),
      input_schema: Type.Record(Type.String(), Type.Unknown()),
    }),
  ),
  /** The reason why it is unusable; `''` if it works. */
  problem: Type.String(),
  /** The gateway's reason for denying the connection; `''` if it did not. */
  refused: Type.String(),
});
export type ProbeAnswer = Static<typeof ProbeAnswer>;

/** Tests an MCP server; a failure is a result, not an error. Throws 404, and 503 `capacity_unavailable` without a worker. */
export async function testMcpServer(ctx: ProbeContext, caller: Caller, id: string) {
  const { slug } = await getMcpServer(ctx, caller, id);
  const { latency_ms, server, tools, problem } = await probe(ctx, caller, id);
  const ok = problem === '';
  const told = tools.map(({ name, description }) => ({ name, description }));
  return mutate(ctx, caller, async (_trx, audit) => {
    audit({ action: 'mcp_server.test', resource: { type: 'mcp_server', id }, changes: { slug, ok } });
    return { ok, latency_ms, server, tools_count: tools.length, tools: told, problem };
  });
}

/**
 * Returns the current tools of a server. Throws 404, 403 `address_not_allowed`, 502 `upstream_error` if the connection fails,
 * and 503 `capacity_unavailable` without a worker.
 */
export async function listMcpServerTools(ctx: ProbeContext, caller: Actor, id: string) {
  await getMcpServer(ctx, caller, id);
  const { tools, problem, refused } = await probe(ctx, caller, id);
  if (problem !== '')
    throw new AppError(refused === 'private_address' ? 'address_not_allowed' : 'upstream_error', problem);
  return { items: tools, total: tools.length };
}

/** Limits probes, because workers serve others too; a request that waits longer than a probe takes fails. */
const turns = createTurns('tests of MCP servers', { each: 2, total: 16, waiting: 20, maxWaitMs: 10 * connectMs });

async function probe(ctx: ProbeContext, caller: Actor, id: string): Promise<ProbeAnswer> {
  if (!(await hasWorkers(ctx)))
    throw new AppError(
      'capacity_unavailable',
      'No worker is running, and only a worker can connect to MCP servers. Start one.',
    );
  try {
    const input = { org_id: caller.organization.id, server_id: id };
    const answer = await turns.run(input.org_id, () => ctx.workerCalls.call(probeKind, input, { timeoutMs: answerMs }));
    if (Value.Check(ProbeAnswer, answer)) return answer;
    throw new AppError('capacity_unavailable', 'The worker runs another version. Try again later.');
  } catch (error) {
    if (error instanceof ProviderError) throw new AppError('capacity_unavailable', error.message);
    throw error;
  }
}
