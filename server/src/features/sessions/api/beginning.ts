import type { Transaction } from 'kysely';
import type { Actor } from '../../../caller.ts';
import type { DB } from '../../../db/types.ts';
import { newId } from '../../../lib/ids.ts';
import { holdAttachments } from '../../attachments/service.ts';
import { messageSent, type NewEvent } from '../schemas/event-schemas.ts';
import type { CreateSession } from '../schemas/session-schemas.ts';
import { appendEvents, changeAndAppend } from '../store/log-store.ts';
import type { SessionRow } from '../store/session-store.ts';

/** The start of a new session's log. */
interface Beginning {
  id: string;
  prompt: string;
  attachmentIds: string[];
  events: readonly NewEvent[];
  now: Date;
  /** True if it waits for its first message; the prompt is not sent then. */
  waits: boolean;
}

/** The status of a session that waits for its first message. */
export const waiting = { status: 'waiting', status_detail: 'awaiting_user', sandbox_state: 'none' } as const;

/** Writes the first events. The prompt is the session's first message, and wakes the workers. */
export async function beginLog(
  trx: Transaction<DB>,
  { organization, principal }: Actor,
  { id, prompt, attachmentIds, events, now, waits }: Beginning,
): Promise<void> {
  if (waits) {
    await appendEvents(trx, id, null, [{ kind: 'status', data: waiting }, ...events]);
    return;
  }
  await holdAttachments(trx, organization.id, attachmentIds);
  const message = {
    id: newId('msg', now.getTime()),
    org_id: organization.id,
    session_id: id,
    role: 'user',
    content: prompt,
    attachment_ids: attachmentIds,
    delivery: 'queue',
    created_by_type: principal.type,
    created_by_id: principal.id,
    created_at: now,
  } as const;
  const queued = { status: 'queued', status_detail: '', sandbox_state: 'none' } as const;
  const log = [{ kind: 'status', data: queued } as const, messageSent(message, principal), ...events];
  await changeAndAppend(trx, id, {}, log, { message, wakesWorkers: true });
}

export function tagWarning(message: string): NewEvent[] {
  return message === '' ? [] : [{ kind: 'warning', data: { code: 'tag_not_allowed', message } }];
}

/** Returns a warning for a body without `repositories`, which may be a mistake; an empty list is not. */
export function repositoryWarning({ repositories }: CreateSession, parent: SessionRow | undefined): NewEvent[] {
  if (repositories !== undefined || parent !== undefined) return [];
  const message =
    'The session has no repository: it works in an empty workspace and delivers nothing. Name one in `repositories`, or send `repositories: []` if you want that.';
  return [{ kind: 'warning', data: { code: 'no_repository', message } }];
}
