import type { Transaction } from 'kysely';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import type { Consumer } from '../../outbox/consumer.ts';
import type { OutboxEvent } from '../../outbox/event.ts';
import { notificationKinds } from '../settings/namespaces/notifications.ts';
import { settingsOf } from '../settings/service.ts';
import { isNotice, storedChoice, type NotificationKind } from './choice.ts';
import { schedule } from './schedule.ts';
import { readAdministrators, readRounds, readStarters, upsertNotifications, type Receiver } from './store.ts';

/** Something to tell, and whom. */
interface News extends Receiver {
  kind: NotificationKind;
  resource_id: string;
}

/** Collects what people and the organization's channels want to know; jobs send it. */
export const noteForPeople: Consumer<Context> = {
  name: 'notifications.people',
  types: ['session.status_changed', 'change_request.follow_changed', 'webhook.disabled', 'webhook.delivery_failed'],
  handle: async (ctx, trx, events) => {
    const told = events.flatMap((event) => {
      const kind = kindOf(event);
      return kind === undefined ? [] : [{ event, kind }];
    });
    if (told.length === 0) return;
    const ofSessions = told.filter(({ kind }) => kind.startsWith('session.')).map(({ event }) => event.resource.id);
    const rounds = new Set(ofSessions.length === 0 ? [] : await readRounds(trx, [...new Set(ofSessions)]));
    const marked = told.map((one) => ({ ...one, isRound: rounds.has(one.event.resource.id) }));
    const news = [...(await forStarters(trx, marked)), ...(await forOrganizations(trx, marked))];
    // The newest of each receiver and resource.
    const rows = new Map(news.map((one) => [`${nameOf(one)} ${one.resource_id}`, one]));
    if (rows.size === 0) return;
    const now = ctx.clock.now();
    await upsertNotifications(
      trx,
      [...rows.values()].map((row) => ({ ...row, created_at: now })),
    );
    const receivers = new Map([...rows.values()].map((one) => [nameOf(one), one]));
    for (const { org_id, channel, target } of receivers.values()) await schedule(ctx, trx, { org_id, channel, target });
  },
};

/** By the state of following. */
const followKinds = new Map<string, NotificationKind>([
  ['needs_person', 'change_request.needs_you'],
  ['ready', 'change_request.ready'],
  ['ended', 'change_request.ended'],
]);

type Told = readonly {
  event: OutboxEvent;
  kind: NotificationKind;
  /** True for a session whose last turn was a round of following. */
  isRound: boolean;
}[];

/**
 * Returns true if a receiver of these kinds is told. The end of a round is not the end of a session that somebody waits for: what
 * became of it is told about its change request, also that it failed or waits, unless the receiver does not want that.
 */
function isWanted({ kind, isRound }: Told[number], chosen: readonly string[]): boolean {
  if (!chosen.includes(kind)) return false;
  return !isRound || (kind !== 'session.finished' && !chosen.includes('change_request.needs_you'));
}

/** Returns what a change of status means for people; undefined for nothing. */
function kindOf({ type, data }: OutboxEvent): NotificationKind | undefined {
  if (type === 'webhook.disabled' || type === 'webhook.delivery_failed') return type;
  if (type === 'change_request.follow_changed') return followKinds.get(String(Object(data['follow']).state));
  const { status, status_detail: detail } = data;
  if (status === 'waiting' || (status === 'suspended' && detail === 'budget_reached')) return 'session.needs_you';
  if (status === 'completed') return 'session.finished';
  return status === 'failed' ? 'session.failed' : undefined;
}

async function forStarters(trx: Transaction<DB>, told: Told): Promise<News[]> {
  const ids = told.filter(({ kind }) => !isNotice(kind)).map(({ event }) => sessionOf(event));
  const starters = ids.length === 0 ? [] : await readStarters(trx, [...new Set(ids)]);
  const bySession = new Map(starters.map((one) => [one.id, { userId: one.user_id, choice: storedChoice(one.value) }]));
  return told.flatMap((one): News[] => {
    const { event, kind } = one;
    const starter = bySession.get(sessionOf(event));
    if (starter === undefined) return [];
    const wants = (chosen: readonly string[]): boolean => isWanted(one, chosen);
    const to = { org_id: event.orgId, target: starter.userId, kind, resource_id: event.resource.id };
    const { email, slack, slack_secret: secret } = starter.choice;
    return [
      ...(wants(email) ? [{ ...to, channel: 'user_email' as const }] : []),
      ...(wants(slack) && secret !== '' ? [{ ...to, channel: 'user_slack' as const }] : []),
    ];
  });
}

/** Returns the session that an event is about: its own, or the one that follows its change request. */
function sessionOf({ resource, data }: OutboxEvent): string {
  return resource.type === 'change_request' ? String(data['session_id']) : resource.id;
}

async function forOrganizations(trx: Transaction<DB>, told: Told): Promise<News[]> {
  const news: News[] = [];
  for (const orgId of new Set(told.map(({ event }) => event.orgId))) {
    const { webhooks, slack, email } = await settingsOf(trx, orgId, 'notifications');
    const own = told.filter(({ event }) => event.orgId === orgId);
    const administrators = own.some(({ kind }) => isNotice(kind)) ? await readAdministrators(trx, orgId) : [];
    for (const one of own) {
      const { event, kind } = one;
      const to = { org_id: orgId, kind, resource_id: event.resource.id };
      const wants = (events: readonly string[]): boolean =>
        isWanted(one, events.length === 0 ? notificationKinds : events);
      if (isNotice(kind))
        news.push(...administrators.map((target) => ({ ...to, channel: 'user_email' as const, target })));
      if (slack.secret !== '' && wants(slack.events)) news.push({ ...to, channel: 'slack', target: '' });
      if (wants(email.events))
        news.push(...email.recipients.map((target) => ({ ...to, channel: 'email' as const, target })));
      for (const { url, events } of webhooks) if (wants(events)) news.push({ ...to, channel: 'url', target: url });
    }
  }
  return news;
}

function nameOf({ org_id, channel, target }: Receiver): string {
  return `${org_id} ${channel} ${target}`;
}
