import type { Actor, AuthenticatedCaller } from '../../../caller.ts';
import type { Context } from '../../../app/context.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import { fieldError } from '../../../lib/field-error.ts';
import { newWebhookSecret } from '../../../lib/standard-webhooks.ts';
import { mutate } from '../../../mutation/mutate.ts';
import { seal } from '../../secrets/envelope.ts';
import { deleteExecutor, putExecutor, readExecutor } from './executor-store.ts';
import { wakePending } from './move.ts';
import type { ExternalExecutor, SetExecutor } from './schemas.ts';
import { isAutomation, lockGoverning } from './store.ts';

/** The purpose of a sealed secret. */
export function executorPurpose(automationId: string): string {
  return `automation executor ${automationId}`;
}

/** Throws 404 `automation_not_found`. */
export async function getExecutor(
  ctx: Pick<Context, 'db'>,
  { organization }: Actor,
  id: string,
): Promise<ExternalExecutor> {
  if (!(await isAutomation(ctx.db.kysely, organization.id, id))) throw notFound('automation', id);
  const { url = '', updated_at = null } = (await readExecutor(ctx.db.kysely, organization.id, id)) ?? {};
  return { automation_id: id, url, secret: '', updated_at };
}

/**
 * Sets the receiver of an automation's external runs, with a new secret, and sends it those that wait; `''` removes it.
 * Throws 404 `automation_not_found`, 400 for an invalid address.
 */
export async function setExecutor(
  ctx: Pick<Context, 'db' | 'clock' | 'jobs' | 'keyRing'>,
  caller: AuthenticatedCaller,
  id: string,
  input: SetExecutor,
): Promise<ExternalExecutor> {
  const orgId = caller.organization.id;
  const url = input.url === '' ? '' : addressOf(input.url);
  const { type, id: principalId, name } = caller.principal;
  if (type === 'session') throw new AppError('forbidden', "A session's key cannot change executors.");
  const now = ctx.clock.now();
  const secret = url === '' ? '' : newWebhookSecret();
  // Outside of the transaction, because a KMS may be slow.
  const sealed_secret = await seal(ctx, orgId, executorPurpose(id), Buffer.from(secret));
  return mutate(
    ctx,
    caller,
    async (trx, audit) => {
      if ((await lockGoverning(trx, orgId, id)) === undefined) throw notFound('automation', id);
      const principal = { principal_type: type, principal_id: principalId, principal_name: name };
      const before = await readExecutor(trx, orgId, id);
      if (url === '') await deleteExecutor(trx, orgId, id);
      else
        await putExecutor(trx, { automation_id: id, org_id: orgId, url, sealed_secret, ...principal, updated_at: now });
      const changes = { host: URL.parse(url)?.host ?? '' };
      if (url !== '') await wakePending(ctx, trx, id);
      if (url !== '' || before !== undefined)
        audit({ action: 'automation.executor_set', resource: { type: 'automation', id }, changes });
      return { automation_id: id, url, secret, updated_at: url === '' ? null : now };
    },
    ['secret'],
  );
}

function addressOf(text: string): string {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw fieldError('/url', 'must be an http or https URL, or "" for none.');
  if (url.username !== '' || url.password !== '') throw fieldError('/url', 'must not contain credentials.');
  url.hash = '';
  return url.href;
}
