import type { Transaction } from 'kysely';
import { withoutRequest, type Actor } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { AppError, messageOf, ProviderError } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { scopeSet } from '../../lib/scopes.ts';
import { lockRepository } from '../repositories/public.ts';
import type { RepositoryRow } from '../repositories/service.ts';
import { createSession } from '../sessions/api/create-service.ts';
import { noContext } from '../sessions/api/no-context.ts';
import { enqueueAnswer } from './consumers.ts';
import type { Call } from './find.ts';
import { countStarted, insertMention } from './store.ts';
import { promptOf, titleOf } from './texts.ts';
import type { Place, Said, Thread } from './thread.ts';

export type StartContext = Pick<
  Context,
  'db' | 'clock' | 'jobs' | 'config' | 'keyRing' | 'runtimes' | 'baseUrl' | 'log' | 'sourceControl'
>;

/** Sessions that mentions start in a repository within an hour. */
const mostPerHour = 10;
const hourMs = 3_600_000;

/** Another look was faster. */
class Known extends Error {}

interface Mention {
  organization: Actor['organization'];
  repository: RepositoryRow;
  place: Place;
  thread: Thread;
  said: Said;
  call: Call;
}

/** Starts the session of a mention, once, or records why not; the answer is posted by a job. */
export async function startByMention(ctx: StartContext, mention: Mention): Promise<void> {
  const { organization, place, said } = mention;
  const now = ctx.clock.now();
  const common = { ...place, said_id: said.id, thread_id: said.threadId, created_at: now };
  const id = newId('men', now.getTime());
  const principal = { type: 'system', id: '', name: 'Guildhall', email: '' } as const;
  const caller = withoutRequest({ organization, principal, scopes: scopeSet(null, ['run']), permission: '', role: '' });
  try {
    await createSession(ctx, caller, sessionOf(mention), async (trx, sessionId) => {
      if (!(await lockRepository(trx, place.org_id, place.repository_id))) throw new Known();
      await requireFew(trx, place.repository_id, now);
      const isNew = await insertMention(trx, { ...common, id, state: 'started', session_id: sessionId });
      if (!isNew) throw new Known();
      await enqueueAnswer(ctx, trx, id);
    });
  } catch (error) {
    if (error instanceof Known) return;
    const isRefused = error instanceof AppError && error.code !== 'capacity_unavailable';
    if (!isRefused && !(error instanceof ProviderError && !error.retryable)) throw error;
    ctx.log.info({ place, reason: messageOf(error) }, 'a mention started no session');
    const problem = shownProblem(error);
    await ctx.db.transaction(async (trx) => {
      if (await insertMention(trx, { ...common, id, state: 'refused', problem })) await enqueueAnswer(ctx, trx, id);
    });
  }
}

/** Reasons that concern the thread itself; others may tell strangers about the organization's limits. */
const shownCodes: ReadonlySet<string> = new Set([
  'change_request_closed',
  'change_request_not_found',
  'conflict',
  'rate_limited',
]);

function shownProblem(error: unknown): string {
  if (error instanceof AppError && shownCodes.has(error.code)) return error.message.slice(0, 1_000);
  return 'The settings or limits of the organization, or its access to this host, do not allow one now.';
}

async function requireFew(trx: Transaction<DB>, repositoryId: string, now: Date): Promise<void> {
  if ((await countStarted(trx, repositoryId, new Date(now.getTime() - hourMs))) < mostPerHour) return;
  throw new AppError(
    'rate_limited',
    `Mentions started ${mostPerHour} sessions in this repository within an hour. Ask again later.`,
  );
}

function sessionOf({ repository, place, thread, said, call }: Mention) {
  const { provider, repo } = repository;
  const { kind, number } = place;
  return {
    title: titleOf(place, call.title),
    prompt: promptOf({ ...place, repo }, thread, said),
    origin: 'automation' as const,
    repositories: [{ provider, repo, ...(kind === 'issue' ? {} : { change_request: number }) }],
    metadata: { mention: said.url.slice(0, 2_000), mentioned_by: `${provider}:${said.author.login}`.slice(0, 2_000) },
    // Write access at a git host gives no right to what the organization keeps here, and anyone may have written the thread.
    ...noContext,
  };
}
