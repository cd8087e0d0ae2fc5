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
 * Sends the mails that wait, where this process has a mail server. A mail is sent again until the server took it, its invite
 * is over, or the server refused it for good; after a crash it may come twice, with the same link.
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
    // Of an invite that was sent again meanwhile, only the newest link works.
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
      ctx.log.error({ reason: error.message, invite: invite.id }, 'an invitation could not be sent');
    }
  });
}
