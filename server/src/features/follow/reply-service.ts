import type { Discussion } from '../../adapters/source-control/collaboration.ts';
import { newId } from '../../lib/ids.ts';
import { recordSystemAct } from '../../mutation/mutate.ts';
import { insertComment } from '../repositories/public.ts';
import { readAnswer } from '../sessions/api/follow-service.ts';
import type { ActContext, Subject } from './subject.ts';
import { answersIn } from './message-text.ts';
import { updateAction } from './store.ts';
import { marker } from './decide/talk.ts';
import type { Action } from './decide/types.ts';

interface Words {
  key: string;
  text: string;
  /** `''` for the whole change request. */
  threadId?: string;
}

/** Posts a comment once: in a thread, where the host has them, or on the whole change request. */
export async function say(ctx: ActContext, subject: Subject, { key, text, threadId = '' }: Words): Promise<void> {
  const { source, ref, change } = subject;
  const body = `${text}\n\n${markOf(key)}`;
  const { comment, reply } = source;
  const isReply = threadId !== '' && reply !== undefined;
  if (!isReply && comment === undefined) return sayHere(ctx, subject, key, body);
  if (isPosted(await source.discussion?.(ref, change.number), key)) return;
  if (isReply) await reply(ref, change.number, threadId, body);
  else await comment?.(ref, change.number, body);
}

/** Posts on the built-in host, in the transaction that ends the action if it has the same key. */
async function sayHere(ctx: ActContext, subject: Subject, key: string, body: string): Promise<void> {
  const { source, ref, change, organization, sessionId } = subject;
  if (isPosted(await source.discussion?.(ref, change.number), key)) return;
  const now = ctx.clock.now();
  const id = newId('crc', now.getTime());
  await ctx.db.transaction(async (trx) => {
    await updateAction(trx, change.id, key, { state: 'done', done_at: now });
    const author = { author_type: 'session', author_id: sessionId } as const;
    const place = { org_id: organization.id, change_request_id: change.id, created_at: now };
    await insertComment(trx, { ...place, ...author, id, body });
    const resource = { type: 'change_request', id: change.id };
    const fact = { action: 'change_request.comment', resource, changes: { comment_id: id } } as const;
    await recordSystemAct(trx, organization.id, 'Follow', fact, now);
  });
}

/** Answers each question of a round once: in its thread, or with a comment. Then resolves threads. */
export async function answer(
  ctx: ActContext,
  subject: Subject,
  { roundKey, questions, commit, resolve }: Extract<Action, { type: 'answer' }>,
): Promise<void> {
  const { source, ref, change, sessionId } = subject;
  const text = await readAnswer(ctx.db.kysely, sessionId);
  const answers = answersIn(text, questions.length);
  const done = commit === '' ? '' : `Done in ${commit.slice(0, 12)}.`;
  for (const [index, { threadId }] of questions.entries()) {
    const key = `answer:${roundKey}:${index}`;
    const words = [done, answers[index] ?? ''].filter((part) => part !== '').join(' ');
    const told = words === '' ? 'No change, and the session gave no reason.' : words;
    await say(ctx, subject, { key, text: told, threadId });
  }
  for (const threadId of resolve) await source.resolveThread?.(ref, change.number, threadId);
}

function markOf(key: string): string {
  return `${marker}${key.replaceAll('--', '- -').replaceAll('>', '')} -->`;
}

function isPosted(discussion: Discussion | undefined, key: string): boolean {
  const mark = markOf(key);
  const { comments = [], threads = [] } = discussion ?? {};
  return [...comments, ...threads.flatMap((thread) => thread.comments)].some(({ body }) => body.includes(mark));
}
