import { randomBytes } from 'node:crypto';
import type { Transaction } from 'kysely';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { ConnectionRef } from '../../adapters/source-control/port.ts';
import type { Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { AppError, messageOf, notFound, ProviderError } from '../../lib/errors.ts';
import { builtInProvider } from '../../lib/providers.ts';
import { mutate } from '../../mutation/mutate.ts';
import { hookIdOf, providerOf, replaceSecret, repositoriesOn, setFirstSecret, updateHook } from './hook-store.ts';
import { lockConnection, updateConnectionRow } from './store.ts';

type HookContext = Pick<Context, 'db' | 'clock' | 'jobs' | 'hostParts' | 'sourceControl' | 'baseUrl' | 'log'>;

/** Without a repository, it is about all of the connection. */
const HookJob = Type.Object({
  org_id: Type.String(),
  connection_id: Type.String(),
  repository_id: Type.Optional(Type.String()),
});
const defaultOverlapSeconds = 86_400;
const pageSize = 100;
/** Repositories whose webhook one job creates; the host is asked twice for each. */
const maxRepositories = 1_000;

/** Returns the URL to which the host of a connection or an App delivers; `''` for the built-in host. */
export function hookUrl(ctx: Pick<Context, 'baseUrl'>, { id, provider }: { id: string; provider: string }): string {
  return provider === builtInProvider ? '' : `${ctx.baseUrl()}/v3/hooks/${hookIdOf(id)}`;
}

/** Returns a row as it is shown. An App has one webhook for all its connections. */
export function withHookUrl<Row extends { id: string; provider: string; git_app_id: string }>(
  ctx: Pick<Context, 'baseUrl'>,
  { git_app_id: app_id, ...row }: Row,
) {
  const owner = app_id === '' ? row.id : app_id;
  return { ...row, app_id, webhook_url: hookUrl(ctx, { id: owner, provider: row.provider }) };
}

export function newHookSecret(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Replaces the secret that signs the host's deliveries, and returns it once. The one before stays valid for the overlap. The
 * webhooks that the platform manages get the new one.
 */
export async function rotateWebhookSecret(
  ctx: HookContext,
  caller: Caller,
  id: string,
  overlapSeconds = defaultOverlapSeconds,
) {
  const place = { orgId: caller.organization.id, connectionId: id };
  const webhook_secret = newHookSecret();
  const sealed = await ctx.hostParts.connections.sealWebhookSecret(place, webhook_secret);
  return mutate(
    ctx,
    caller,
    async (trx, audit) => {
      const before = await lockConnection(trx, place.orgId, id);
      if (before === undefined) throw notFound('git_connection', id);
      const needless = whyNoSecret(before);
      if (needless !== undefined) throw new AppError('conflict', needless);
      const now = ctx.clock.now();
      const until = overlapSeconds === 0 ? null : new Date(now.getTime() + overlapSeconds * 1_000);
      await replaceSecret(trx, place, sealed, until);
      const row = await updateConnectionRow(trx, place.orgId, id, { updated_at: now });
      if (row === undefined) throw notFound('git_connection', id);
      await noteHostChanged(ctx, trx, place);
      audit({
        action: 'git_connection.rotate_webhook_secret',
        resource: { type: 'git_connection', id },
        changes: { overlap_seconds: overlapSeconds },
      });
      return { ...withHookUrl(ctx, row), webhook_secret };
    },
    ['webhook_secret'],
  );
}

/** Says why a connection has no webhook secret of its own; undefined if it has. */
function whyNoSecret({ provider, kind }: { provider: string; kind: string }): string | undefined {
  if (provider === builtInProvider)
    return 'The built-in git host needs no webhook secret: it delivers within this server.';
  if (kind === 'app')
    return 'The webhook is that of the App. Rotate the secret of the App, which all its connections share.';
  if (provider === 'pagure') return 'Pagure signs with a secret of each project, which Guildhall reads there.';
  return undefined;
}

/** Enqueues a look at the webhooks of a connection's repositories, or of one. */
export async function noteHostChanged(
  ctx: Pick<Context, 'jobs'>,
  trx: Transaction<DB>,
  { orgId, connectionId }: ConnectionRef,
  repositoryId?: string,
): Promise<void> {
  const data = { org_id: orgId, connection_id: connectionId };
  const one = repositoryId === undefined ? {} : { repository_id: repositoryId };
  const singletonKey = repositoryId ?? connectionId;
  await ctx.jobs.enqueue(trx, 'git_connection', { ...data, ...one }, { singletonKey });
}

/** Keeps the webhooks of connections in this process. */
export function startConnections(ctx: HookContext): void {
  ctx.jobs.work('git_connection', { concurrency: 2 }, async ({ data }) => {
    if (!Value.Check(HookJob, data)) return;
    await keepWebhooks(ctx, { orgId: data.org_id, connectionId: data.connection_id }, data.repository_id);
  });
}

/** Creates or repairs the webhooks of a connection's repositories, and records what is wrong. */
async function keepWebhooks(ctx: HookContext, place: ConnectionRef, only?: string): Promise<void> {
  const provider = await providerOf(ctx.db.kysely, place);
  if (provider === undefined || provider === builtInProvider) return;
  const ensure = ctx.sourceControl.of(provider).ensureWebhook;
  if (ensure === undefined) return;
  const url = hookUrl(ctx, { id: place.connectionId, provider });
  const secret = await newestSecret(ctx, place);
  let problem = '';
  for (let after = '', seen = 0; seen < maxRepositories; seen += pageSize) {
    const repositories = await repositoriesOn(ctx.db.kysely, place, after, pageSize);
    for (const { id, repo } of repositories) {
      if (only !== undefined && id !== only) continue;
      const said = await ensure({ ...place, id, repo }, url, secret).then(() => '', problemOf);
      if (problem === '') problem = said;
    }
    after = repositories.at(-1)?.id ?? '';
    if (repositories.length < pageSize) break;
  }
  if (only === undefined || problem !== '') await updateHook(ctx.db.kysely, place, { webhook_problem: problem });
}

/** Says what is wrong. Throws what may pass, so that the job is tried again. */
function problemOf(error: unknown): string {
  if (error instanceof ProviderError && !error.retryable) return messageOf(error).slice(0, 1_000);
  throw error;
}

async function newestSecret(ctx: HookContext, place: ConnectionRef): Promise<string> {
  const { connections } = ctx.hostParts;
  const [known] = await connections.webhookSecrets(place);
  if (known !== undefined) return known;
  await setFirstSecret(ctx.db.kysely, place, await connections.sealWebhookSecret(place, newHookSecret()));
  const [set] = await connections.webhookSecrets(place);
  if (set === undefined) throw new ProviderError('The git connection no longer exists.', { retryable: false });
  return set;
}
