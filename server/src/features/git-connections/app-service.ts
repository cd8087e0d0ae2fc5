import { createHash, randomBytes } from 'node:crypto';
import type { Actor, Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { countRows } from '../../db/count.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { fieldError } from '../../lib/field-error.ts';
import { newId } from '../../lib/ids.ts';
import { paginate, type PageQuery } from '../../lib/paging.ts';
import { mutate } from '../../mutation/mutate.ts';
import { requireMatch } from '../../mutation/precondition.ts';
import { appManifest, manifestPage } from './app-manifest.ts';
import {
  appsQuery,
  connectionsOfApp,
  deleteAppRow,
  insertApp,
  insertManifest,
  listAppRows,
  lockApp,
  readApp,
  takeManifest,
} from './app-store.ts';
import { hostAddress } from './host-address.ts';
import { hookUrl, newHookSecret } from './hook-service.ts';
import type { CreateGitApp, PrepareGitApp } from './app-schemas.ts';

type AppContext = Pick<Context, 'db' | 'clock' | 'baseUrl' | 'hostParts' | 'sourceControl'>;

/** GitHub's code is valid for an hour. */
const validMs = 3_600_000;

function hashOf(state: string): string {
  return createHash('sha256').update(state).digest('hex');
}

/** Prepares an App of GitHub: returns the manifest and the page that takes it. The state is for one use by the caller. */
export async function prepareApp(ctx: AppContext, caller: Caller, input: PrepareGitApp) {
  const { url } = hostAddress('github', input.host);
  const { id: orgId, slug } = caller.organization;
  const now = ctx.clock.now();
  const id = newId('ga', now.getTime());
  const state = randomBytes(32).toString('base64url');
  const expires_at = new Date(now.getTime() + validMs);
  const name = input.name ?? `Guildhall ${slug}`.slice(0, 34);
  const { type, id: principalId } = caller.principal;
  return mutate(
    ctx,
    caller,
    async (trx, audit) => {
      await insertManifest(trx, {
        state_hash: hashOf(state),
        org_id: orgId,
        git_app_id: id,
        url,
        principal_type: type,
        principal_id: principalId,
        expires_at,
      });
      audit({
        action: 'git_app.prepare',
        resource: { type: 'git_app', id },
        changes: { host: new URL(url).host, name },
      });
      const manifest = appManifest(ctx, { id, slug, name });
      return { url: manifestPage(url, input.github_organization ?? '', state), manifest, state, expires_at };
    },
    ['state', 'url'],
  );
}

/** Creates the App that GitHub made of a manifest, by its code. Throws 400 for a state that is not the caller's. */
export async function createApp(ctx: AppContext, caller: Caller, { code, state }: CreateGitApp) {
  const orgId = caller.organization.id;
  const now = ctx.clock.now();
  const begun = await takeManifest(ctx.db.kysely, orgId, hashOf(state), caller.principal, now);
  if (begun === undefined)
    throw fieldError('/state', 'is unknown, was used, or is older than an hour. Prepare the App again.');
  const convert = ctx.sourceControl.of('github').convertApp;
  if (convert === undefined) throw new AppError('conflict', 'This version does not create Apps.');
  const made = await convert(begun.url, code);
  const { connections } = ctx.hostParts;
  const place = { orgId, connectionId: begun.git_app_id };
  const sealed_private_key = await connections.sealAppKey(place, made.privateKey);
  const secret = made.webhookSecret === '' ? newHookSecret() : made.webhookSecret;
  const sealed_webhook_secret = await connections.sealWebhookSecret(place, secret);
  return mutate(ctx, caller, async (trx, audit) => {
    const row = await insertApp(trx, {
      id: begun.git_app_id,
      org_id: orgId,
      provider: 'github',
      url: begun.url,
      app_id: made.appId,
      slug: made.slug,
      name: made.name,
      html_url: made.htmlUrl,
      sealed_private_key,
      sealed_webhook_secret,
      created_at: now,
    });
    audit({
      action: 'git_app.create',
      resource: { type: 'git_app', id: row.id },
      changes: { host: new URL(row.url).host, app_id: row.app_id, slug: row.slug },
    });
    return describeApp(ctx, row);
  });
}

/** Returns an App as it is shown. */
export function describeApp<Row extends { id: string; url: string; html_url: string }>(
  ctx: Pick<Context, 'baseUrl'>,
  { url, ...row }: Row,
) {
  const webhook_url = hookUrl(ctx, { id: row.id, provider: 'github' });
  return { ...row, host: new URL(url).host, installation_url: `${row.html_url}/installations/new`, webhook_url };
}

export async function listApps(ctx: Pick<Context, 'db' | 'baseUrl'>, caller: Actor, query: PageQuery) {
  const rows = appsQuery(ctx.db.kysely, caller.organization.id);
  return paginate({
    list: 'git_apps',
    filters: { orgId: caller.organization.id },
    query,
    rows: async (after, limit) => (await listAppRows(rows, after, limit)).map((row) => describeApp(ctx, row)),
    total: () => countRows(ctx.db, rows),
  });
}

export async function getApp(ctx: Pick<Context, 'db' | 'baseUrl'>, caller: Actor, id: string) {
  const row = await readApp(ctx.db.kysely, caller.organization.id, id);
  if (row === undefined) throw notFound('git_app', id);
  const { sealed_private_key: _, ...shown } = row;
  return describeApp(ctx, shown);
}

/** The most connections that a refusal names. */
const mostNamed = 5;

/** Deletes an App and its keys here. Throws 409 `connection_in_use` while connections use it. */
export async function deleteApp(
  ctx: Pick<Context, 'db' | 'clock' | 'baseUrl'>,
  caller: Caller,
  id: string,
): Promise<null> {
  const orgId = caller.organization.id;
  return mutate(ctx, caller, async (trx, audit) => {
    const row = await lockApp(trx, orgId, id, 'update');
    if (row === undefined) throw notFound('git_app', id);
    await requireMatch(caller, () => describeApp(ctx, row));
    const users = await connectionsOfApp(trx, orgId, id);
    if (users.length > 0) {
      const names = users.slice(0, mostNamed).map((one) => `${one.name} (${one.id})`);
      const more = users.length > mostNamed ? ` and ${users.length - mostNamed} more` : '';
      throw new AppError(
        'connection_in_use',
        `Git connections use this App: ${names.join(', ')}${more}. Delete them first, then the App.`,
      );
    }
    await deleteAppRow(trx, orgId, id);
    audit({
      action: 'git_app.delete',
      resource: { type: 'git_app', id },
      changes: { host: new URL(row.url).host, app_id: row.app_id, slug: row.slug },
    });
    return null;
  });
}

/** Returns the credential of an installation of an App, not verified yet. Throws 400 for an unknown App. */
export async function appCredential(ctx: AppContext, orgId: string, id: string, installationId: string) {
  const app = await readApp(ctx.db.kysely, orgId, id);
  if (app === undefined) throw fieldError('/app_id', ': the organization has no App with this id. Create it first.');
  const place = { orgId, connectionId: id };
  const privateKey = await ctx.hostParts.connections.openAppKey(place, app.sealed_private_key);
  return {
    url: app.url,
    host: new URL(app.url).host,
    credential: { kind: 'app' as const, appId: app.app_id, privateKey, installationId },
  };
}
