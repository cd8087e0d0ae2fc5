import type { RepositoryRef, SourceControl } from '../../adapters/source-control/port.ts';
import type { Context } from '../../app/context.ts';
import { organizationSlug } from '../../db/organization-slug.ts';
import { consoleUrl } from '../../lib/console-url.ts';
import { messageOf, ProviderError } from '../../lib/errors.ts';
import { readAccount } from '../follow/public.ts';
import { changeRequestUrl, refOf } from '../repositories/open-change-request.ts';
import { repositoryById } from '../repositories/service.ts';
import { readFollowed } from '../sessions/api/follow-service.ts';
import { readResult } from '../sessions/run/result-service.ts';
import { enqueueAnswer } from './consumers.ts';
import { holdMention, listChangeRequestsOf, updateMention, type MentionRow } from './store.ts';
import { markOf, receiptText, refusalText, resultText, type Result } from './texts.ts';
import { readThread, type Said } from './thread.ts';

export type AnswerContext = Pick<Context, 'db' | 'clock' | 'jobs' | 'baseUrl' | 'log' | 'sourceControl'>;

/** A process that ended leaves an answer to another one after this time. */
const holdMs = 120_000;
const endings = new Set(['completed', 'failed', 'canceled', 'deleted']);

interface Target {
  source: SourceControl;
  ref: RepositoryRef;
  account: string;
  sessionUrl: string;
}

/** Posts what is to be said of a mention: a receipt, and what became of its session. Each once, also after a crash. */
export async function answerMention(ctx: AnswerContext, id: string): Promise<void> {
  const now = ctx.clock.now();
  const row = await holdMention(ctx.db.kysely, id, now, new Date(now.getTime() + holdMs));
  if (row === undefined) return;
  try {
    const change = await answer(ctx, row);
    await updateMention(ctx.db.kysely, id, { ...change, held_until: null });
    // Its session may have ended while this process held the mention.
    if (row.posted === '' && change.posted === 'receipt')
      await ctx.db.transaction((trx) => enqueueAnswer(ctx, trx, id, 1_000));
  } catch (error) {
    const isFinal = error instanceof ProviderError && !error.retryable;
    const problem = messageOf(error).slice(0, 1_000);
    await updateMention(ctx.db.kysely, id, { held_until: null, ...(isFinal ? { problem, posted: 'result' } : {}) });
    if (!isFinal) throw error;
    ctx.log.warn({ id, reason: problem }, 'a mention could not be answered');
  }
}

async function answer(
  ctx: AnswerContext,
  row: MentionRow,
): Promise<Partial<Pick<MentionRow, 'state' | 'posted' | 'problem'>>> {
  const target = await targetOf(ctx, row);
  if (target === undefined) return { posted: 'result', problem: 'The repository was deleted.' };
  if (row.state === 'refused') {
    await say(target, row, 'result', refusalText(row.problem));
    return { posted: 'result' };
  }
  if (row.posted === '') await say(target, row, 'receipt', receiptText(target.sessionUrl));
  const result = await resultOf(ctx, row);
  if (!endings.has(result.status)) return { posted: 'receipt' };
  await say(target, row, 'result', resultText(result, target.sessionUrl));
  return { state: 'ended', posted: 'result' };
}

async function targetOf(ctx: AnswerContext, row: MentionRow): Promise<Target | undefined> {
  const { org_id: orgId, repository_id: repositoryId, session_id } = row;
  const repository = await repositoryById(ctx, orgId, repositoryId);
  if (repository === undefined) return undefined;
  const slug = await organizationSlug(ctx.db.kysely, orgId);
  return {
    source: ctx.sourceControl.of(repository.provider),
    ref: refOf(orgId, repository),
    account: await readAccount(ctx.db.kysely, orgId, repository.connection_id),
    sessionUrl: `${consoleUrl(ctx, slug)}/sessions/${session_id}`,
  };
}

async function resultOf(ctx: AnswerContext, { org_id: orgId, session_id: id }: MentionRow): Promise<Result> {
  return ctx.db.transaction(async (trx) => {
    const session = await readFollowed(trx, orgId, id);
    const { summary } = await readResult(trx, orgId, id);
    const slug = await organizationSlug(trx, orgId);
    const found = await listChangeRequestsOf(trx, orgId, id);
    return {
      status: session?.status ?? 'deleted',
      verification: session?.verification ?? '',
      summary,
      problem: session?.problem ?? '',
      changeRequests: found.map((one) => ({ ...one, url: changeRequestUrl(ctx, slug, one) })),
    };
  });
}

/** Posts a comment where the mention is, unless it is there. */
async function say(
  { source, ref, account }: Target,
  { id, kind, number, thread_id: threadId }: MentionRow,
  what: 'receipt' | 'result',
  text: string,
): Promise<void> {
  const thread = await readThread(source, ref, { kind, number });
  if (thread === undefined) return;
  const mark = markOf(id, what);
  const isOurs = ({ author, body }: Said): boolean => author.login === account && body.includes(mark);
  if (thread.said.some(isOurs)) return;
  const body = `${text}\n\n${mark}`;
  if (kind === 'issue') await source.commentOnIssue?.(ref, number, body);
  else if (threadId !== '' && source.reply !== undefined) await source.reply(ref, number, threadId, body);
  else await source.comment?.(ref, number, body);
}
