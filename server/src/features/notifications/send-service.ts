import { createHash } from 'node:crypto';
import type { Context } from '../../app/context.ts';
import { consoleUrl } from '../../lib/console-url.ts';
import { ProviderError } from '../../lib/errors.ts';
import { isCredential } from '../mcp-servers/scan.ts';
import { organizationSlug } from '../../db/organization-slug.ts';
import { secretAddress } from '../secrets/public.ts';
import { settingsOf } from '../settings/service.ts';
import { isNotice, storedChoice } from './choice.ts';
import { messageOf, type Item, type Message } from './message.ts';
import { nextMessage, schedule } from './schedule.ts';
import {
  deleteSent,
  giveTurnBack,
  readActiveName,
  readMemberToTell,
  readNotifications,
  takeTurn,
  type FollowedChange,
  type Receiver,
  type WaitingNotification,
} from './store.ts';

export type SendContext = Pick<
  Context,
  'db' | 'clock' | 'keyRing' | 'jobs' | 'outgoing' | 'mailer' | 'baseUrl' | 'log'
>;

/** Notifications of one message. */
const most = 200;

/**
 * Sends what waits for a receiver as one message, unless it got one a moment ago. A failure throws, and the job tries again;
 * what is refused for good, or for nobody any more, is dropped.
 */
export async function sendWaiting(ctx: SendContext, receiver: Receiver, signal: AbortSignal): Promise<void> {
  const next = await nextMessage(ctx.db.kysely, receiver);
  if (next === undefined) return;
  const now = ctx.clock.now();
  if (next.at <= now) await sendNow(ctx, receiver, { before: next.sentAt, now }, signal);
  await ctx.db.transaction((trx) => schedule(ctx, trx, receiver));
}

/** Sends what waits, unless another job does so. The time of the message is written first: until then nobody else sends one. */
async function sendNow(
  ctx: SendContext,
  receiver: Receiver,
  turn: { before: Date | null; now: Date },
  signal: AbortSignal,
): Promise<void> {
  if (!(await takeTurn(ctx.db.kysely, receiver, turn))) return;
  const waiting = await readNotifications(ctx.db.kysely, receiver, most);
  try {
    await send(ctx, receiver, waiting, signal);
  } catch (error) {
    if (!(error instanceof ProviderError) || error.retryable) {
      await giveTurnBack(ctx.db.kysely, receiver, turn);
      throw error;
    }
    ctx.log.error({ reason: error.message, channel: receiver.channel }, 'cannot send a notification');
  }
  await deleteSent(ctx.db.kysely, waiting);
}

async function send(
  ctx: SendContext,
  receiver: Receiver,
  waiting: readonly WaitingNotification[],
  signal: AbortSignal,
): Promise<void> {
  const organization = await readActiveName(ctx.db.kysely, receiver.org_id);
  const current = waiting.filter(isCurrent);
  if (organization === undefined || current.length === 0) return;
  const items = await Promise.all(current.map((one) => itemOf(ctx, receiver.org_id, one)));
  const message = messageOf(organization, items);
  const mailId = createHash('sha256')
    .update(JSON.stringify([receiver, current]))
    .digest('hex')
    .slice(0, 32);
  switch (receiver.channel) {
    case 'user_email':
    case 'email': {
      const to = await addressOf(ctx, receiver, current);
      if (to === undefined) return;
      const { subject, text, html } = message;
      await ctx.mailer?.send({ to, subject, text, html, id: `notification-${mailId}` }, signal);
      return;
    }
    case 'user_slack':
    case 'slack': {
      const slack = await slackOf(ctx, receiver);
      if (slack === undefined) return;
      const channel = slack.channel === '' ? {} : { channel: slack.channel };
      await post(ctx, slack.url, { text: message.slack, ...channel }, signal);
      return;
    }
    case 'url': {
      const { webhooks } = await settingsOf(ctx.db.kysely, receiver.org_id, 'notifications');
      if (webhooks.some(({ url }) => url === receiver.target))
        await post(ctx, receiver.target, bodyOf(message, items), signal);
    }
  }
}

/** Returns false for what was deleted, answered or changed meanwhile. */
function isCurrent({ kind, status, change }: WaitingNotification): boolean {
  switch (kind) {
    case 'session.needs_you':
      return status === 'waiting' || status === 'suspended';
    case 'session.finished':
      return status === 'completed';
    case 'session.failed':
      return status === 'failed';
    case 'change_request.needs_you':
      return change?.state === 'open' && change.follow_state === 'needs_person';
    case 'change_request.ready':
      return change?.state === 'open' && change.follow_state === 'ready';
    case 'change_request.ended':
      return change?.state === 'merged' || change?.state === 'closed';
    case 'webhook.disabled':
    case 'webhook.delivery_failed':
      return true;
  }
}

async function itemOf(
  ctx: Pick<Context, 'db' | 'baseUrl'>,
  orgId: string,
  { kind, resource_id: id, title, change }: WaitingNotification,
): Promise<Item> {
  const base = consoleUrl(ctx, await organizationSlug(ctx.db.kysely, orgId));
  // A title may begin with the prompt, in which somebody pasted a credential.
  const isShown = title !== '' && !(await isCredential(title));
  if (change !== null) {
    const { repository_id, number, repo } = change;
    const place = `#${number} of ${repo}`;
    const name = isShown ? `${title} (${place})` : `Change request ${place}`;
    const url = `${base}/repositories/${repository_id}/change-requests/${number}`;
    return { kind, name, url, detail: await detailOf(kind, change) };
  }
  const resource = isNotice(kind) ? 'webhooks' : 'sessions';
  const name = isShown ? title : `${resource === 'webhooks' ? 'The webhook' : 'The session'} ${id}`;
  return { kind, name, url: `${base}/${resource}/${id}`, detail: '' };
}

/** Returns how a change request ended, or why it needs a person; neither a credential nor the error of a session is sent. */
async function detailOf(kind: Item['kind'], { state, reason, is_error }: FollowedChange): Promise<string> {
  if (kind === 'change_request.ended') return state;
  if (kind !== 'change_request.needs_you') return '';
  if (is_error) return 'Its session failed.';
  return (await isCredential(reason)) ? '' : reason;
}

/** Returns the address, if it is still a member's own, or one of the organization's recipients. */
async function addressOf(
  ctx: SendContext,
  { org_id: orgId, channel, target }: Receiver,
  current: readonly WaitingNotification[],
): Promise<string | undefined> {
  if (channel === 'email') {
    const { email } = await settingsOf(ctx.db.kysely, orgId, 'notifications');
    return email.recipients.find((recipient) => recipient === target);
  }
  const member = await readMemberToTell(ctx.db.kysely, orgId, target);
  if (member === undefined || member.email_verified_at === null) return undefined;
  const { email } = storedChoice(member.value);
  const wants = current.some(({ kind }) => (isNotice(kind) ? member.permission === 'admin' : email.includes(kind)));
  return wants ? member.email : undefined;
}

/** Returns the address of a Slack-compatible webhook, which is a secret of the member or of the organization. */
async function slackOf(
  ctx: SendContext,
  { org_id: orgId, channel, target }: Receiver,
): Promise<{ url: string; channel: string } | undefined> {
  if (channel === 'slack') {
    const { slack } = await settingsOf(ctx.db.kysely, orgId, 'notifications');
    const url = slack.secret === '' ? undefined : await secretAddress(ctx, orgId, '', slack.secret);
    return url === undefined ? undefined : { url, channel: slack.channel };
  }
  const member = await readMemberToTell(ctx.db.kysely, orgId, target);
  const { slack_secret: secret } = storedChoice(member?.value);
  if (member === undefined || secret === '') return undefined;
  const url = await secretAddress(ctx, orgId, `user:${target}`, secret);
  return url === undefined ? undefined : { url, channel: '' };
}

function bodyOf(message: Message, items: readonly Item[]): object {
  return { text: message.slack, notifications: items.map(({ kind, name, url }) => ({ type: kind, name, url })) };
}

async function post(ctx: SendContext, url: string, body: object, signal: AbortSignal): Promise<void> {
  const headers = { 'content-type': 'application/json', 'user-agent': 'guildhall' };
  const { status } = await ctx.outgoing({ url, headers, body: JSON.stringify(body), signal });
  if (status >= 200 && status < 300) return;
  const retryable = status === 429 || status >= 500;
  throw new ProviderError(`The receiver of notifications answered ${status}.`, { retryable });
}
