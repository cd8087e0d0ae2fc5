import { TooLarge } from '../../git/copy-limits.ts';
import { builtInProvider } from '../../lib/providers.ts';
import { readActorOrganization } from '../automations/actor.ts';
import { refOf } from '../repositories/open-change-request.ts';
import { endAutoMerge, readAutoMerge, readChangeRequest, type ChangeRequestRow } from '../repositories/public.ts';
import { repositoryById } from '../repositories/service.ts';
import { recordSaid } from '../repositories/settle-service.ts';
import { carryOut } from './act-service.ts';
import { mergePlace, type ActContext, type Subject } from './subject.ts';
import { enqueueLook } from './enqueue.ts';
import { readFacts } from './facts-service.ts';
import { publishFollow } from './news.ts';
import { policyOf } from './policy-service.ts';
import {
  insertActions,
  insertFollow,
  lockFollow,
  readFollow,
  updateFollow,
  type FollowRow,
  type Place,
} from './store.ts';
import { sumUp } from './decide/checks.ts';
import { decide } from './decide/decide.ts';
import { reviewStateOf } from './decide/talk.ts';
import { newMemory, type Facts } from './decide/types.ts';
import { decideUnread } from './decide/unread.ts';
import type { Policy } from './schemas.ts';

export type LookContext = ActContext;

/** Reads what the host says of a change request now, decides, and acts. May run at any time, and any number of times. */
export async function lookAtChangeRequest(ctx: LookContext, place: Place): Promise<void> {
  const { org_id: orgId, repository_id: repositoryId, number } = place;
  const organization = await readActorOrganization(ctx.db.kysely, orgId);
  if (organization?.state !== 'active') return;
  const repository = await repositoryById(ctx, orgId, repositoryId);
  const change = await readChangeRequest(ctx.db.kysely, orgId, repositoryId, number);
  if (repository === undefined || change === undefined) return;
  const policy = await policyOf(ctx.db.kysely, orgId, repositoryId);
  const follow = await followOf(ctx, policy, change, orgId);
  if (follow === undefined) return;
  const source = ctx.sourceControl.of(repository.provider);
  const ref = refOf(orgId, repository);
  const subject = { organization, repository, change, ref, source, sessionId: follow.session_id };
  await carryOut(ctx, subject);
  // Nobody would take it back later.
  if (follow.state === 'ended') return endAutoMerge(ctx, mergePlace(subject));
  const said = await source.changeRequest(ref, number);
  if (said === undefined) return;
  if (repository.provider !== builtInProvider) {
    const target = { orgId, slug: organization.slug, repository, row: change, by: { type: 'system', id: '' } };
    await ctx.db.transaction((trx) => recordSaid(ctx, trx, target, said));
  }
  const current = await readFollow(ctx.db.kysely, change.id);
  if (current === undefined) return;
  const facts = await readFacts(ctx, { orgId, repository, ref, follow: current, source }, said).catch(unreadable);
  if (await record(ctx, { ...subject, policy, read: current, facts })) await carryOut(ctx, subject);
}

/** Returns why a repository cannot be read, if that needs a person; throws other errors, which the next attempt may not meet. */
function unreadable(error: unknown): TooLarge {
  if (error instanceof TooLarge) return error;
  throw error;
}

/** Returns how a change request is followed, and begins that where the policy says so. */
async function followOf(
  ctx: LookContext,
  policy: Policy,
  change: ChangeRequestRow,
  orgId: string,
): Promise<FollowRow | undefined> {
  const known = await readFollow(ctx.db.kysely, change.id);
  if (known !== undefined) return known;
  const { id, repository_id, number, session_id, state, created_at } = change;
  if (policy.mode === 'off' || session_id === '' || state !== 'open') return undefined;
  const now = ctx.clock.now();
  const memory = newMemory(created_at.getTime());
  const row = { change_request_id: id, org_id: orgId, repository_id, number, session_id, memory, now };
  await ctx.db.transaction((trx) => insertFollow(trx, row));
  return readFollow(ctx.db.kysely, id);
}

/** Decides and records the decision with its actions; false if the row changed since the facts were read. */
async function record(
  ctx: LookContext,
  { change, ref, policy, read, facts }: Subject & { policy: Policy; read: FollowRow; facts: Facts | TooLarge },
): Promise<boolean> {
  return ctx.db.transaction(async (trx) => {
    const locked = await lockFollow(trx, change.id);
    if (locked === undefined) return false;
    const place = { org_id: locked.org_id, repository_id: locked.repository_id, number: locked.number };
    if (locked.revision !== read.revision) {
      await enqueueLook(ctx, trx, place);
      return false;
    }
    const { state, reason, head_sha: headSha, memory } = locked;
    const before = { state, reason, headSha, memory };
    const now = ctx.clock.now();
    const { row, actions, lookAt } =
      facts instanceof TooLarge
        ? decideUnread(policy, before, {
            now: now.getTime(),
            autoMerge: await readAutoMerge(trx, ref, place.number),
            problem: facts.message,
          })
        : decide(policy, before, facts);
    await updateFollow(trx, change.id, {
      state: row.state,
      reason: row.reason,
      head_sha: row.headSha,
      memory: row.memory,
      ...(facts instanceof TooLarge ? {} : seenIn(facts)),
      look_at: lookAt === null ? null : new Date(lookAt),
      updated_at: now,
    });
    await insertActions(trx, locked, actions, now);
    if (lookAt !== null) await enqueueLook(ctx, trx, place, Math.max(1_000, lookAt - now.getTime()));
    const after = await readFollow(trx, change.id);
    if (after !== undefined && row.state !== state) await publishFollow(ctx, trx, after, { type: 'system', id: '' });
    return true;
  });
}

/** Returns what was seen at the last look, for readers. */
function seenIn(facts: Facts) {
  const { state, failing } = sumUp(facts.checks);
  const names = failing.map(({ name }) => name).slice(0, 100);
  return { checks_state: state, failing: names, review_state: reviewStateOf(facts) };
}
