import type { Transaction } from 'kysely';
import type { Actor, Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { fieldError } from '../../lib/field-error.ts';
import { newId } from '../../lib/ids.ts';
import { mutate } from '../../mutation/mutate.ts';
import type { ChangeRequestRow } from '../repositories/public.ts';
import { requireChangeRequest } from '../repositories/change-request-service.ts';
import { repositoryByName } from '../repositories/service.ts';
import type { CreateReview } from './schemas.ts';
import { insertReview, readReview, readReviewOf } from './store.ts';
import { changeRequestAt } from './url-service.ts';

export type ReviewContext = Pick<Context, 'db' | 'clock' | 'jobs' | 'baseUrl'>;

/**
 * Requests the review of a change request's head, or returns the one that the commit has, with `isNew` false. Throws 404
 * `repository_not_found`, `change_request_not_found`, 409 `conflict`, `change_request_closed`.
 */
export async function createReview(ctx: ReviewContext, caller: Caller, input: CreateReview) {
  const orgId = caller.organization.id;
  const change = await changeRequestOf(ctx, caller, input);
  const headSha = input.commit_sha ?? change.head_sha;
  const place = { repositoryId: change.repository_id, number: change.number, headSha };
  const known = await readReviewOf(ctx.db.kysely, orgId, place);
  if (known !== undefined) return { review: known, isNew: false };
  if (change.state !== 'open')
    throw new AppError('change_request_closed', `Change request ${change.number} is ${change.state}.`);
  if (headSha !== change.head_sha)
    throw new AppError(
      'conflict',
      `The head of change request ${change.number} is ${change.head_sha}. Review that one.`,
    );
  try {
    return {
      review: await insert(ctx, caller, change, { place, instructions: input.instructions ?? '' }),
      isNew: true,
    };
  } catch (error) {
    if (!(error instanceof Taken)) throw error;
    return { review: required(await readReviewOf(ctx.db.kysely, orgId, place), place), isNew: false };
  }
}

/** Another request was faster. */
class Taken extends Error {}

interface Place {
  repositoryId: string;
  number: number;
  headSha: string;
}

async function insert(
  ctx: ReviewContext,
  caller: Caller,
  change: ChangeRequestRow,
  { place, instructions }: { place: Place; instructions: string },
) {
  const orgId = caller.organization.id;
  return mutate(ctx, caller, async (trx, audit) => {
    const by = caller.principal;
    const id = await addReview(ctx, trx, change, { orgId, trigger: 'request', by, instructions });
    if (id === undefined) throw new Taken();
    audit({
      action: 'review.create',
      resource: { type: 'review', id },
      changes: { repository_id: change.repository_id, number: change.number, head_sha: change.head_sha },
    });
    return required(await readReview(trx, orgId, id), place);
  });
}

interface Request {
  orgId: string;
  trigger: 'request' | 'policy';
  by: { type: Actor['principal']['type']; id: string };
  instructions: string;
}

/** Adds a review and the job that starts it; returns its id, or undefined if the commit has one. */
export async function addReview(
  ctx: Pick<Context, 'clock' | 'jobs'>,
  trx: Transaction<DB>,
  change: Pick<ChangeRequestRow, 'id' | 'repository_id' | 'number' | 'base_sha' | 'head_sha'>,
  { orgId, trigger, by, instructions }: Request,
): Promise<string | undefined> {
  const now = ctx.clock.now();
  const id = newId('rev', now.getTime());
  const isNew = await insertReview(trx, {
    id,
    org_id: orgId,
    repository_id: change.repository_id,
    change_request_id: change.id,
    number: change.number,
    base_sha: change.base_sha,
    head_sha: change.head_sha,
    instructions,
    trigger,
    created_by_type: by.type,
    created_by_id: by.id,
    created_at: now,
    updated_at: now,
  });
  if (!isNew) return undefined;
  await ctx.jobs.enqueue(trx, 'review', { review_id: id }, { singletonKey: id });
  return id;
}

async function changeRequestOf(
  ctx: ReviewContext,
  { organization }: Actor,
  { url, provider, repo, number }: CreateReview,
): Promise<ChangeRequestRow> {
  if (url !== undefined) {
    if (provider !== undefined || repo !== undefined || number !== undefined)
      throw fieldError('/url', (name) => `and ${name('/repo')} exclude each other: send one of them.`);
    return changeRequestAt(ctx, organization, url);
  }
  if (repo === undefined || number === undefined)
    throw fieldError(repo === undefined ? '/repo' : '/number', (name) => `is required without ${name('/url')}.`);
  const { id } = await repositoryByName(ctx, organization.id, { repo, provider });
  return requireChangeRequest(ctx, organization.id, id, number);
}

function required<T>(row: T | undefined, { number }: { number: number }): T {
  if (row === undefined) throw notFound('change_request', String(number));
  return row;
}
