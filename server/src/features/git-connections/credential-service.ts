import type { HostCredential } from '../../adapters/source-control/connection.ts';
import type { Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { fieldError } from '../../lib/field-error.ts';
import { newId } from '../../lib/ids.ts';
import { builtInProvider } from '../../lib/providers.ts';
import { createTurns } from '../../lib/turns.ts';
import { mutate } from '../../mutation/mutate.ts';
import { requireMatch } from '../../mutation/precondition.ts';
import { newHookSecret, noteHostChanged, withHookUrl } from './hook-service.ts';
import { healthOf, type Health, type HealthContext, type Working } from './health.ts';
import { appCredential } from './app-service.ts';
import { lockApp } from './app-store.ts';
import { hostAddress } from './host-address.ts';
import type { CreateGitConnection, UpdateGitConnection } from './schemas.ts';
import { changeConnection, getConnection } from './service.ts';
import { countConnections, insertConnection, lockConnection, recordHealth, updateConnectionRow } from './store.ts';

export type CredentialContext = HealthContext & Pick<Context, 'db' | 'jobs' | 'baseUrl'>;

const maxConnections = 100;

/** Limits verifications, each of which calls a git host that a client waits for. */
const verifyTurns = createTurns('verifications', { each: 4, total: 16, waiting: 16, maxWaitMs: 60_000 });

/** Creates a connection by a token or an installation of an App, after the host accepted it. */
export async function createConnection(ctx: CredentialContext, caller: Caller, input: CreateGitConnection) {
  const { provider, kind = 'token' } = input;
  if (provider === builtInProvider)
    throw new AppError('conflict', 'The organization is already connected to the built-in git host.');
  const orgId = caller.organization.id;
  const { host, url, credential } = await credentialOf(ctx, orgId, input);
  const health = accepted(await verifyTurns.run(orgId, () => healthOf(ctx, provider, { orgId, url, credential })));
  const now = ctx.clock.now();
  const id = newId('gc', now.getTime());
  const place = { orgId, connectionId: id };
  const sealed_credential = await ctx.hostParts.connections.sealCredential(place, credential);
  const sealed_webhook_secret = await ctx.hostParts.connections.sealWebhookSecret(place, newHookSecret());
  return mutate(ctx, caller, async (trx, audit) => {
    if ((await countConnections(trx, orgId)) >= maxConnections)
      throw new AppError(
        'conflict',
        `Limit reached: an organization can have at most ${maxConnections} git connections. Delete one first.`,
      );
    // Its key was copied, so it must not be deleted meanwhile.
    if (kind === 'app' && (await lockApp(trx, orgId, input.app_id ?? '', 'share')) === undefined)
      throw fieldError('/app_id', ': the App was deleted meanwhile.');
    const name = input.name ?? host;
    const row = await insertConnection(trx, {
      ...health,
      id,
      org_id: orgId,
      provider,
      kind,
      host,
      url,
      name,
      sealed_credential,
      sealed_webhook_secret,
      git_app_id: kind === 'app' ? (input.app_id ?? '') : '',
      created_at: now,
      updated_at: now,
    });
    audit({
      action: 'git_connection.create',
      resource: { type: 'git_connection', id },
      changes: { provider, kind, host, name, account: health.account },
    });
    return withHookUrl(ctx, row);
  });
}

/** Returns the credential that a request names, and its host. Throws 400. */
async function credentialOf(ctx: CredentialContext, orgId: string, input: CreateGitConnection) {
  const { provider, kind = 'token', token, app_id: appId, installation_id: installationId } = input;
  if (kind === 'app') {
    if (provider !== 'github') throw fieldError('/kind', `must be token for ${provider}.`);
    if (appId === undefined) throw fieldError('/app_id', 'is required for the kind app.');
    if (installationId === undefined) throw fieldError('/installation_id', 'is required for the kind app.');
    return appCredential(ctx, orgId, appId, installationId);
  }
  if (kind !== 'token') throw fieldError('/kind', 'must be token or app.');
  if (token === undefined) throw fieldError('/token', `is required to connect to ${provider}.`);
  const credential: HostCredential = { kind: 'token', token: printable(token) };
  return { ...hostAddress(provider, input.host), credential };
}

/** Changes the name, and the token after the host accepted it. */
export async function updateConnection(
  ctx: CredentialContext,
  caller: Caller,
  id: string,
  { token, ...named }: UpdateGitConnection,
) {
  if (token === undefined) return changeConnection(ctx, caller, id, named);
  const orgId = caller.organization.id;
  const before = await getConnection(ctx, caller, id);
  if (before.kind !== 'token')
    throw new AppError('conflict', `This connection is of the kind ${before.kind} and has no token.`);
  const stored = await ctx.hostParts.connections.stored({ orgId, connectionId: id });
  if (stored === undefined) throw notFound('git_connection', id);
  const credential: HostCredential = { kind: 'token', token: printable(token) };
  const { url } = stored.connection;
  const health = accepted(
    await verifyTurns.run(orgId, () => healthOf(ctx, before.provider, { orgId, url, credential })),
  );
  const sealed_credential = await ctx.hostParts.connections.sealCredential({ orgId, connectionId: id }, credential);
  return mutate(ctx, caller, async (trx, audit) => {
    const locked = await lockConnection(trx, orgId, id);
    if (locked === undefined) throw notFound('git_connection', id);
    await requireMatch(caller, () => withHookUrl(ctx, locked));
    const change = { ...named, ...health, sealed_credential, updated_at: ctx.clock.now() };
    const row = await updateConnectionRow(trx, orgId, id, change);
    if (row === undefined) throw notFound('git_connection', id);
    audit({
      action: 'git_connection.update',
      resource: { type: 'git_connection', id },
      changes: { ...named, credential: 'replaced', account: health.account },
    });
    return withHookUrl(ctx, row);
  });
}

/** Asks the host if the connection works, and records its answer. Throws if the built-in host does not work. */
export async function verifyConnection(ctx: CredentialContext, caller: Caller, id: string) {
  const orgId = caller.organization.id;
  const { provider } = await getConnection(ctx, caller, id);
  const stored = await ctx.hostParts.connections.stored({ orgId, connectionId: id });
  const health = await verifyTurns.run(orgId, async () => {
    if (stored !== undefined) return healthOf(ctx, provider, stored.connection);
    await ctx.sourceControl.of(provider).verify({ orgId, connectionId: id });
    return { last_verified_at: ctx.clock.now() };
  });
  return mutate(ctx, caller, async (trx, audit) => {
    const row = await recordHealth(trx, orgId, id, stored?.sealed, { ...health, updated_at: ctx.clock.now() });
    if (row === undefined) throw notFound('git_connection', id);
    await noteHostChanged(ctx, trx, { orgId, connectionId: id });
    audit({ action: 'git_connection.verify', resource: { type: 'git_connection', id }, changes: { state: row.state } });
    return withHookUrl(ctx, row);
  });
}

/** Refuses a credential that the host does not accept. */
function accepted(health: Health): Working {
  if ('account' in health) return health;
  if (health.state === 'error') throw new AppError('upstream_error', health.problem);
  throw fieldError('/token', `: ${health.problem}`);
}

/** A token as it goes into a header: without the line break that follows it in a file. */
function printable(token: string): string {
  const trimmed = token.trim();
  if (!/^[\x21-\x7e]+$/.test(trimmed)) throw fieldError('/token', 'must be printable ASCII without spaces.');
  return trimmed;
}
