import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { OneOf } from '../../http/schema.ts';
import { sendWaiting, type SendContext } from './send-service.ts';

const NotificationJob = Type.Object({
  org_id: Type.String(),
  channel: OneOf(['user_email', 'user_slack', 'email', 'slack', 'url']),
  target: Type.String(),
});

/** Sends notifications; mails only if this process has a mail server. */
export function startNotifications(ctx: SendContext): void {
  const queues =
    ctx.mailer === undefined ? (['notification'] as const) : (['notification', 'notification_mail'] as const);
  for (const queue of queues)
    ctx.jobs.work(queue, { concurrency: 4 }, async ({ data, signal }) => {
      if (Value.Check(NotificationJob, data)) await sendWaiting(ctx, data, signal);
    });
}
