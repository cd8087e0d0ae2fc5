import type { RepositoryRef, SourceControl } from '../../adapters/source-control/port.ts';
import type { Context } from '../../app/context.ts';
import { isSaidSince } from '../../adapters/source-control/collaboration.ts';
import { builtInProvider } from '../../lib/providers.ts';
import { readActorOrganization } from '../automations/actor.ts';
import { marker, mentionNames, mentionsSince, readAccount, unheardReason } from '../follow/public.ts';
import { refOf } from '../repositories/open-change-request.ts';
import { readChangeRequest, readOwner } from '../repositories/public.ts';
import { repositoryById } from '../repositories/service.ts';
import { enqueueLook } from './consumers.ts';
import { findCall } from './find.ts';
import { newMention } from './mention.ts';
import { refuseMention, startByMention, type StartContext } from './start-service.ts';
import { insertMention, listKnown, type MentionState } from './store.ts';
import { readThread, type Place, type Said } from './thread.ts';

/** An older mention starts nothing, even if it is heard of only now. */
const heardForMs = 24 * 3_600_000;
/** Mentions of one look; the next one goes on. */
const mostAtOnce = 20;

/**
 * Reads what an issue or change request says now, and acts on each new mention by a person with write access, once. May run at
 * any time, and any number of times.
 */
export async function lookForMentions(ctx: StartContext, place: Place): Promise<void> {
  const { org_id: orgId, repository_id: repositoryId } = place;
  const organization = await readActorOrganization(ctx.db.kysely, orgId);
  const repository = await repositoryById(ctx, orgId, repositoryId);
  const since = await mentionsSince(ctx.db.kysely, orgId, repositoryId);
  if (organization?.state !== 'active' || repository === undefined || since === undefined) return;
  if (repository.provider === builtInProvider) return;
  const source = ctx.sourceControl.of(repository.provider);
  const ref = refOf(orgId, repository);
  const thread = await readThread(source, ref, place);
  if (thread === undefined) return;
  const account = await readAccount(ctx.db.kysely, orgId, repository.connection_id);
  const known = await listKnown(ctx.db.kysely, place);
  const names = mentionNames(account);
  const after = Math.max(since.getTime(), ctx.clock.now().getTime() - heardForMs);
  const fresh = thread.said.filter((said) => isFresh(said, { after, account }) && !known.has(said.id));
  const found = fresh.flatMap((said) => {
    const call = findCall(said.body, names);
    return call === undefined ? [] : [{ said, call }];
  });
  const may = permissions(source, ref);
  for (const { said, call } of found.slice(0, mostAtOnce)) {
    if (!(await may(said.author.login))) {
      await note(ctx, place, said, 'ignored');
      continue;
    }
    const owned = await ownedChange(ctx, place);
    if (owned !== undefined) await leaveToOwner(ctx, place, said, owned);
    else await startByMention(ctx, { organization, repository, place, thread, said, call });
  }
  if (found.length > mostAtOnce) await ctx.db.transaction((trx) => enqueueLook(ctx, trx, place));
}

/** The platform and other programs ask for nothing. */
function isFresh(said: Said, { after, account }: { after: number; account: string }): boolean {
  const { author, body } = said;
  return isSaidSince(said, after) && !author.isBot && author.login !== account && !body.includes(marker);
}

/** Returns a function that says if an account has write access, and asks the host once for each. */
function permissions(source: SourceControl, ref: RepositoryRef): (login: string) => Promise<boolean> {
  const asked = new Map<string, Promise<boolean>>();
  const ask = async (login: string): Promise<boolean> => {
    const permission = (await source.permissionOf?.(ref, login)) ?? 'none';
    return permission === 'write' || permission === 'admin';
  };
  return (login) => {
    const answer = asked.get(login) ?? ask(login);
    asked.set(login, answer);
    return answer;
  };
}

/** Leaves a mention to following, which hears it like any comment; where it does not, says so. */
async function leaveToOwner(ctx: StartContext, place: Place, said: Said, changeRequestId: string): Promise<void> {
  const reason = await ctx.db.transaction((trx) =>
    unheardReason(trx, place.org_id, place.repository_id, changeRequestId),
  );
  if (reason === '') await note(ctx, place, said, 'followed');
  else
    await refuseMention(ctx, { place, said }, `One follows this change request, but does not hear comments. ${reason}`);
}

/** Returns the id of the change request if a session owns it. */
async function ownedChange(ctx: Pick<Context, 'db'>, place: Place): Promise<string | undefined> {
  const { org_id: orgId, repository_id: repositoryId, kind, number } = place;
  if (kind === 'issue') return undefined;
  return ctx.db.transaction(async (trx) => {
    const change = await readChangeRequest(trx, orgId, repositoryId, number);
    return change !== undefined && (await readOwner(trx, change.id)) !== '' ? change.id : undefined;
  });
}

async function note(ctx: Pick<Context, 'db' | 'clock'>, place: Place, said: Said, state: MentionState): Promise<void> {
  const row = { ...newMention({ place, said }, ctx.clock.now()), state };
  await ctx.db.transaction((trx) => insertMention(trx, row));
}
