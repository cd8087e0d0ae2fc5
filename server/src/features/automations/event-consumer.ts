import type { Transaction } from 'kysely';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import type { Consumer } from '../../outbox/consumer.ts';
import { builtInProvider } from '../../lib/providers.ts';
import type { OutboxEvent } from '../../outbox/event.ts';
import { enqueuePage, firstPage } from './event-service.ts';
import { listListeners, readCause, readEventChangeRequest, readEventRepository } from './event-store.ts';

/** Something that happened in a repository, as triggers get it. */
interface Happening {
  type: 'push' | 'change_request';
  /** Distinguishes several of one event. */
  key: string;
  payload: Record<string, unknown>;
  /** The session that caused it; `''` for none. */
  sessionId: string;
}

/**
 * Finds pushes and changes of change requests, and enqueues a job for each to which an automation listens: the number of
 * automations is not limited, and other events must not wait for them.
 */
export const startByEvents: Consumer<Pick<Context, 'jobs'>> = {
  name: 'automations.events',
  types: ['repository.pushed', 'change_request.opened', 'change_request.state_changed'],
  handle: async (ctx, trx, events) => {
    for (const event of events)
      for (const happening of await happeningsOf(trx, event)) await enqueueListeners(ctx, trx, event, happening);
  },
};

async function enqueueListeners(
  ctx: Pick<Context, 'jobs'>,
  trx: Transaction<DB>,
  { orgId, seq }: OutboxEvent,
  { type, key, payload, sessionId }: Happening,
): Promise<void> {
  const [first] = await listListeners(trx, orgId, type, { after: firstPage, limit: 1 });
  if (first === undefined) return;
  const cause = sessionId === '' ? undefined : await readCause(trx, orgId, sessionId);
  await enqueuePage(ctx, trx, {
    org_id: orgId,
    type,
    key: `event ${seq} ${key}`,
    payload,
    except: cause?.automationId ?? '',
    chain_length: cause === undefined ? 0 : cause.chainLength + 1,
    after: firstPage,
  });
}

async function happeningsOf(trx: Transaction<DB>, event: OutboxEvent): Promise<Happening[]> {
  return event.type === 'repository.pushed' ? pushesOf(trx, event) : changeRequestOf(trx, event);
}

async function pushesOf(trx: Transaction<DB>, { orgId, resource, actor, data }: OutboxEvent): Promise<Happening[]> {
  const repository = await readEventRepository(trx, orgId, resource.id);
  const updates: unknown = data['refs'];
  if (repository === undefined || !Array.isArray(updates)) return [];
  const { provider, repo, default_branch } = repository;
  return updates.map((update: unknown) => {
    const { ref, old, new: after } = Object(update);
    const name = String(ref);
    const payload = {
      provider,
      repo,
      default_branch,
      ref: name,
      branch: name.startsWith('refs/heads/') ? name.slice('refs/heads/'.length) : '',
      tag: name.startsWith('refs/tags/') ? name.slice('refs/tags/'.length) : '',
      before: String(old),
      after: String(after),
      created: /^0+$/.test(String(old)),
      deleted: /^0+$/.test(String(after)),
      pusher: { type: actor.type, id: actor.id },
    };
    return { type: 'push' as const, key: name, payload, sessionId: actor.type === 'session' ? actor.id : '' };
  });
}

async function changeRequestOf(
  trx: Transaction<DB>,
  { type, orgId, resource, actor, data }: OutboxEvent,
): Promise<Happening[]> {
  const row = await readEventChangeRequest(trx, orgId, resource.id);
  // Of those that people opened at other hosts, `startByHosts` hears more.
  if (row === undefined || (row.provider !== builtInProvider && row.session_id === '')) return [];
  const { author_type, author_id, session_id: sessionId, ...shown } = row;
  const state = typeof data['state'] === 'string' ? data['state'] : row.state;
  const payload = {
    ...shown,
    state,
    action: type === 'change_request.opened' ? 'opened' : state === 'open' ? 'reopened' : state,
    author: { type: author_type, id: author_id },
    actor: { type: actor.type, id: actor.id },
    session_id: sessionId,
  };
  return [{ type: 'change_request', key: '', payload, sessionId }];
}
