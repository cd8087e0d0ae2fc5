import type { Actor, Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { countRows } from '../../db/count.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { fieldError } from '../../lib/field-error.ts';
import { paginate, type PageQuery } from '../../lib/paging.ts';
import { mutate } from '../../mutation/mutate.ts';
import { requireMatch } from '../../mutation/precondition.ts';
import { appsQuery, connectionsOfApp, deleteAppRow, listAppRows, lockApp, readApp } from './app-store.ts';
import { hookUrl } from './hook-service.ts';

type AppContext = Pick<Context, 'db' | 'clock' | 'baseUrl' | 'hostParts' | 'sourceControl'>;

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
