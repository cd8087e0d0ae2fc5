import type { FastifyReply, FastifyRequest } from 'fastify';
import { requireActive, requireScope } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import type { GitService } from '../../git/http-path.ts';
import { parseGitPath, parseService } from '../../git/http-path.ts';
import type { HostedRepository, RefUpdate } from '../../adapters/source-control/git-host.ts';
import { tokenOf } from '../../http/authenticate.ts';
import type { Route } from '../../http/route.ts';
import { createAllowances, type Allowance } from '../../lib/allowance.ts';
import { AppError } from '../../lib/errors.ts';
import { verifyRunCredential } from './credentials.ts';
import {
  afterPush,
  hostedByCredential,
  hostedByName,
  largestPushBytes,
  recordPush,
  refusalOfRunPush,
  pushLimits,
} from './service.ts';
import { createTurns } from '../../lib/turns.ts';

type GitContext = Pick<
  Context,
  'db' | 'clock' | 'gitHost' | 'sourceControl' | 'baseUrl' | 'keyRing' | 'config' | 'disk' | 'jobs'
>;
type PushAllowances = ReturnType<typeof createPushAllowances>;

interface GitExchange {
  repo: string;
  endpoint: 'info/refs' | 'rpc';
  service: GitService;
}

/**
 * git's smart HTTP protocol: at `/git/{organization}/{owner}/{name}.git` with a key (as bearer token, or as the
 * password of basic authentication; `repos:read` to fetch, `repos:write` to push), and for runs at `/git-run/…` with a
 * credential for their session, repository and branch.
 */
export function gitRoutes(ctx: GitContext): Route[] {
  const allowances = createPushAllowances(() => ctx.clock.now());
  return [
    (app) => {
      app.register(async (scope) => {
        // Packs are streamed to git, so they are never held in memory.
        scope.addContentTypeParser(/^application\/x-git-/, (_request, payload, done) => done(null, payload));
        scope.route({
          method: ['GET', 'POST'],
          url: '/git/:orgId/*',
          config: { scope: 'any', basic: true, whileDeleting: true },
          schema: { hide: true },
          handler: (request, reply) => servePerson(ctx, allowances, request, reply),
        });
        scope.route({
          method: ['GET', 'POST'],
          url: '/git-run/*',
          config: { scope: 'none', basic: true },
          schema: { hide: true },
          handler: (request, reply) => serveRun(ctx, allowances, request, reply),
        });
      });
    },
  ];
}

const exchanges = 'clones and pushes';
const maxWaitMs = 60_000;
/** Limits for users, service users and apps, per organization. */
const personTurns = createTurns(exchanges, { each: 16, total: 128, waiting: 64, maxWaitMs });
/** Limits per principal, so that one cannot use up those of the organization. */
const ownTurns = createTurns(exchanges, { whose: 'of yours', each: 8, total: Infinity, waiting: 32, maxWaitMs });
/**
 * Limits for sessions; separate, because code in sandboxes makes such requests too, and neither kind may block the
 * other.
 */
const runTurns = createTurns(exchanges, { each: 32, total: 128, waiting: 256, maxWaitMs });
const sessionTurns = createTurns(exchanges, {
  whose: 'of the session',
  each: 8,
  total: Infinity,
  waiting: 32,
  maxWaitMs,
});

const gibibyte = 1024 ** 3;

/**
 * Limits how much pushes may make git unpack in proportion to their own size; a GiB takes about 8 s, and compressed
 * zeros cost the sender almost nothing. Session pushes are exempt: their content already passed the same limits as
 * bundles.
 */
function createPushAllowances(now: () => Date) {
  return {
    ofOrganization: createAllowances({ mostBytes: 2 * gibibyte, bytesPerMinute: gibibyte }, now),
    ofSession: createAllowances({ mostBytes: 4 * gibibyte, bytesPerMinute: gibibyte / 2 }, now),
  };
}

async function servePerson(
  ctx: GitContext,
  allowances: PushAllowances,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { caller } = request;
  const exchange = exchangeOf(request);
  requireScope(caller, exchange.service === 'receive-pack' ? 'repos:write' : 'repos:read');
  if (exchange.service === 'receive-pack') requireActive(caller.organization);
  const { id, hosted } = await hostedByName(ctx, caller, exchange.repo);
  const orgId = caller.organization.id;
  const answer = async (): Promise<FastifyReply> => {
    const { refusalOf, ...room } = await pushLimits(ctx, orgId);
    return serve(request, reply, {
      ...exchange,
      hosted,
      now: () => ctx.clock.now(),
      remoteUser: caller.principal.id,
      allowance: allowances.ofOrganization(orgId),
      ...room,
      authorizePush: async (updates) => refusalOf(updates),
      onRefsUpdated: async (updates) => {
        await recordPush(ctx, caller, id, updates);
        await afterPush(ctx, orgId, id, updates);
      },
    });
  };
  return ownTurns.run(`${orgId} ${caller.principal.id}`, () => personTurns.run(orgId, answer));
}

async function serveRun(
  ctx: GitContext,
  allowances: PushAllowances,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const credential = verifyRunCredential(ctx, tokenOf(request.headers.authorization ?? '', true) ?? '');
  if (credential === undefined)
    throw new AppError('unauthorized', 'This requires the credential of a running session.');
  const exchange = exchangeOf(request);
  const { id, hosted } = await hostedByCredential(ctx, credential, exchange.repo);
  const { org, session } = credential;
  const answer = () =>
    serve(request, reply, {
      ...exchange,
      hosted,
      now: () => ctx.clock.now(),
      remoteUser: session,
      allowance: allowances.ofSession(session),
      // Storage limits do not apply: the push delivers work that was already accepted.
      maxPushBytes: largestPushBytes,
      authorizePush: (updates) => refusalOfRunPush(ctx, credential, updates),
      onRefsUpdated: (updates) => afterPush(ctx, org, id, updates),
    });
  return sessionTurns.run(`${org} ${session}`, () => runTurns.run(org, answer));
}

async function serve(
  request: FastifyRequest,
  reply: FastifyReply,
  options: GitExchange & {
    hosted: HostedRepository;
    now: () => Date;
    remoteUser: string;
    allowance: Allowance;
    maxPushBytes: number;
    tooLarge?: string;
    authorizePush: (updates: readonly RefUpdate[]) => Promise<string | undefined>;
    onRefsUpdated: (updates: RefUpdate[]) => Promise<void>;
  },
): Promise<FastifyReply> {
  const { hosted, repo: _repo, ...exchange } = options;
  reply.hijack();
  reply.raw.setHeader('x-request-id', request.id);
  try {
    await hosted.serve({
      ...exchange,
      request: request.raw,
      response: reply.raw,
      denyDeletes: false,
    });
  } catch (error) {
    request.log.error({ err: error }, 'a git exchange failed');
    reply.raw.destroy();
  }
  return reply;
}

function exchangeOf(request: FastifyRequest): GitExchange {
  const { params, query } = request;
  const path =
    typeof params === 'object' && params !== null && '*' in params
      ? parseGitPath(`/${String(params['*'])}`)
      : undefined;
  if (path === undefined) throw new AppError('not_found', 'This is not the path of a git repository.');
  if (path.endpoint !== 'info/refs') return { repo: path.repo, endpoint: 'rpc', service: path.endpoint };
  const asked = typeof query === 'object' && query !== null && 'service' in query ? String(query.service) : undefined;
  const service = parseService(asked);
  if (service === undefined)
    throw new AppError('not_found', 'Only the smart HTTP protocol is supported. Use a current git.');
  return { repo: path.repo, endpoint: 'info/refs', service };
}
