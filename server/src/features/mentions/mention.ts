import type { Actor } from '../../caller.ts';
import { newId } from '../../lib/ids.ts';
import type { RepositoryRow } from '../repositories/service.ts';
import type { Call } from './find.ts';
import type { Place, Said, Thread } from './thread.ts';

/** A mention by a person with write access. */
export interface Mention {
  organization: Actor['organization'];
  repository: RepositoryRow;
  place: Place;
  thread: Thread;
  said: Said;
  call: Call;
}

/** Returns the row of a mention, without its state. */
export function newMention({ place, said }: Pick<Mention, 'place' | 'said'>, now: Date) {
  return { ...place, id: newId('men', now.getTime()), said_id: said.id, thread_id: said.threadId, created_at: now };
}
