import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Context } from '../../app/context.ts';
import { answerMention, type AnswerContext } from './answer-service.ts';
import { enqueueAnswer } from './consumers.ts';
import { lookForMentions } from './look-service.ts';
import type { StartContext } from './start-service.ts';
import { deleteOldMentions, listOpenMentions } from './store.ts';

const Look = Type.Object({
  org_id: Type.String(),
  repository_id: Type.String(),
  kind: Type.Enum(['issue', 'change_request']),
  number: Type.Integer(),
});
const Answer = Type.Object({ mention_id: Type.String() });

/** An unanswered mention is looked at again after so long. */
const restingMs = 3 * 60_000;
/** Longer than mentions are heard, so that none is forgotten before. */
const rememberedMs = 30 * 86_400_000;

/** Hears and answers mentions in this process. */
export function startMentions(ctx: StartContext & AnswerContext): void {
  ctx.jobs.work('mention', { concurrency: 4 }, async ({ data }) => {
    if (Value.Check(Answer, data)) await answerMention(ctx, data.mention_id);
    else if (Value.Check(Look, data)) await lookForMentions(ctx, data);
  });
}

/** Answers what was left unanswered, for example after a job was lost, and forgets what is over. */
export async function wakeMentions(ctx: Pick<Context, 'db' | 'clock' | 'jobs'>): Promise<void> {
  const now = ctx.clock.now().getTime();
  for (const id of await listOpenMentions(ctx.db.kysely, new Date(now - restingMs), 1_000))
    await ctx.db.transaction((trx) => enqueueAnswer(ctx, trx, id));
  await deleteOldMentions(ctx.db.kysely, new Date(now - rememberedMs));
}
