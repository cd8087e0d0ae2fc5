import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Context } from '../../app/context.ts';
import { ProviderError } from '../../lib/errors.ts';
import { hashToken } from '../auth/sign-in-service.ts';
import { inviteMail } from './mail.ts';
import { acceptUrl } from './service.ts';
import { readInviteToMail } from './store.ts';
import { tokenOf } from './token.ts';

const MailJob = Type.Object({ invite_id: Type.String(), nonce: Type.String() });

/**
 * Sends pending mails, if this process has a mail server. Retries until the server accepts the mail or rejects it permanently,
 * or the invitation ends; after a crash a mail may be sent twice, with the same link.
 */
export function startInviteMail(
  ctx: Pick<Context, 'db' | 'clock' | 'keyRing' | 'jobs' | 'baseUrl' | 'mailer' | 'log'>,
): void {
  const { mailer } = ctx;
  if (mailer === undefined) return;
  ctx.jobs.work('mail', { concurrency: 4 }, async ({ id, data, signal }) => {
    if (!Value.Check(MailJob, data)) return;
    const invite = await readInviteToMail(ctx.db.kysely, data.invite_id, ctx.clock.now());
    const token = tokenOf(ctx, data.invite_id, data.nonce);
    // If an invitation was resent meanwhile, only the newest link works.
    if (invite === undefined || invite.token_hash !== hashToken(token)) return;
    const mail = inviteMail({
      id,
      to: invite.email,
      organization: invite.org_name,
      permission: invite.permission,
      acceptUrl: acceptUrl(ctx, token),
      expiresAt: invite.expires_at,
    });
    try {
      await mailer.send(mail, signal);
    } catch (error) {
      if (!(error instanceof ProviderError) || error.retryable) throw error;
      ctx.log.error({ reason: error.message, invite: invite.id }, 'cannot send an invitation');
    }
  });
}
