import type { HostAccount } from '../../adapters/source-control/collaboration.ts';
import { AppError } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { builtInProvider } from '../../lib/providers.ts';
import { changeRequestUrl } from '../repositories/open-change-request.ts';
import { endAutoMerge } from '../repositories/public.ts';
import { followedSession, sendFromHost, type Writer } from '../sessions/api/follow-service.ts';
import { mergePlace, type ActContext, type Subject } from './subject.ts';
import { logOf, maxLogs } from './facts-service.ts';
import { checksText, conflictText, saidIn, talkText } from './message-text.ts';
import { readPrincipal, updateAction } from './store.ts';
import type { Action } from './decide/types.ts';

type MessageAction = Extract<Action, { type: 'message' }>;

interface Written {
  content: string;
  url: string;
  author: HostAccount | undefined;
  /** Everyone whose words it has. */
  authors: readonly HostAccount[];
  /** The head of the base branch to merge; `''` for none. */
  merge: string;
}

/** Sends the session the message of a round, in the transaction that ends the action. */
export async function sendRound(ctx: ActContext, subject: Subject, action: MessageAction): Promise<void> {
  const { change, organization, sessionId, repository } = subject;
  const { kind, headSha } = action.round;
  // What the round is about must not merge meanwhile.
  await endAutoMerge(ctx, mergePlace(subject));
  const { content, url, author, authors, merge } = await write(subject, action);
  const start = await startOf(ctx, subject, headSha, merge);
  const writer = await writerOf(ctx, repository.provider, author);
  // The platform itself has no login on the built-in host.
  const others = new Map(authors.filter(({ login }) => login !== '').map((one) => [one.login, one]));
  const quoted = await Promise.all([...others.values()].map((one) => writerOf(ctx, repository.provider, one)));
  const shown = url === '' ? changeRequestUrl(ctx, organization.slug, change) : url;
  await ctx.db.transaction(async (trx) => {
    const now = ctx.clock.now();
    if (!(await updateAction(trx, change.id, action.key, { state: 'done', done_at: now }))) return;
    await sendFromHost(ctx, trx, organization, sessionId, {
      id: newId('msg', now.getTime()),
      content,
      source: { kind, url: shown, head_sha: headSha },
      writer,
      quoted,
      start,
    });
  });
  await acknowledge(ctx, subject, action.ids);
}

async function write(subject: Subject, { round, checks: ids }: MessageAction): Promise<Written> {
  const { source, ref, change } = subject;
  if (round.kind === 'ci') {
    const checks = (await source.checks?.(ref, round.headSha)) ?? [];
    const failed = checks.filter(({ id }) => ids.includes(id)).slice(0, maxLogs);
    const told = [];
    for (const check of failed) told.push({ check, log: await logOf(source, ref, check) });
    return {
      content: checksText(told, round.headSha),
      url: failed[0]?.url ?? '',
      author: undefined,
      authors: [],
      merge: '',
    };
  }
  if (round.kind === 'conflict') {
    const base = (await source.branchHead(ref, change.base_ref)) ?? '';
    const isBehind = (await source.changeRequest(ref, change.number))?.isBehind ?? false;
    return {
      content: conflictText(change.base_ref, base, isBehind),
      url: '',
      author: undefined,
      authors: [],
      merge: base,
    };
  }
  const discussion = await source.discussion?.(ref, change.number);
  const said = discussion === undefined ? [] : saidIn(round, discussion);
  const [first] = said;
  if (first === undefined) throw new AppError('conflict', 'What was said is gone.');
  const authors = said.flatMap((one) => one.authors);
  return { content: talkText(said, first.author.login), url: first.url, author: first.author, authors, merge: '' };
}

/** Returns what the turn begins on, where the session has not seen it: commits of others, or a branch to merge. */
async function startOf(ctx: ActContext, subject: Subject, commit: string, merge: string) {
  const { organization, repository, sessionId } = subject;
  const session = await followedSession(ctx, organization.id, sessionId);
  const stored = session?.repositories.find(({ repository_id }) => repository_id === repository.id);
  if (stored === undefined || (merge === '' && stored.delivered_commit === commit)) return undefined;
  return { repositoryId: repository.id, commit, merge };
}

/** A principal of the platform on the built-in host, else an account of the host. */
async function writerOf(ctx: ActContext, provider: string, author: HostAccount | undefined): Promise<Writer> {
  const account = {
    type: 'provider',
    id: `${provider}:${author?.login ?? 'checks'}`,
    name: author?.login ?? 'checks',
  } as const;
  if (provider !== builtInProvider || author === undefined) return account;
  return (await readPrincipal(ctx.db.kysely, author.login)) ?? account;
}

/** Shows on comments that they were read; nothing depends on it. */
async function acknowledge(
  { log }: ActContext,
  { source, ref, change }: Subject,
  ids: readonly string[],
): Promise<void> {
  for (const id of ids) {
    const [kind = '', key = ''] = id.split(' ', 2);
    if (kind === 'review') continue;
    await source.acknowledge?.(ref, change.number, key).catch((error: unknown) => {
      log.debug({ id: change.id, reason: String(error) }, 'a comment was not acknowledged');
    });
  }
}
