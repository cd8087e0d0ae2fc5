import { ComparisonTooLarge } from '../../adapters/source-control/port.ts';
import type { Actor, Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { countRows } from '../../db/count.ts';
import { changesNothing } from '../../lib/changes.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { fieldError } from '../../lib/field-error.ts';
import { newId } from '../../lib/ids.ts';
import { isBlank } from '../../lib/one-line.ts';
import { paginate, type PageQuery } from '../../lib/paging.ts';
import { mutate } from '../../mutation/mutate.ts';
import { requireMatch } from '../../mutation/precondition.ts';
import { hostTurns } from './at-host.ts';
import { diffChangeRequest, requireChangeRequest } from './change-request-service.ts';
import type { CreateComment, UpdateComment } from './comment-schemas.ts';
import {
  commentsQuery,
  insertComment,
  listCommentRows,
  lockComment,
  readPath,
  updateCommentRow,
} from './comment-store.ts';
import { refOf } from './open-change-request.ts';
import { requireRepository } from './service.ts';

type CommentContext = Pick<Context, 'db' | 'clock'>;
type PostContext = CommentContext & Pick<Context, 'sourceControl'>;

/** Lists the comments of a change request, newest first. */
export async function listComments(
  ctx: CommentContext,
  caller: Actor,
  repositoryId: string,
  number: number,
  query: PageQuery,
) {
  const orgId = caller.organization.id;
  const { id } = await requireChangeRequest(ctx, orgId, repositoryId, number);
  const rows = commentsQuery(ctx.db.kysely, orgId, id);
  return paginate({
    list: 'change_request_comments',
    filters: { id },
    query,
    rows: (after, limit) => listCommentRows(rows, after, limit),
    total: () => countRows(ctx.db, rows),
  });
}

/** Adds a comment, and posts it at the host of a connected repository. */
export async function commentOnChangeRequest(
  ctx: PostContext,
  caller: Caller,
  repositoryId: string,
  number: number,
  input: CreateComment,
) {
  const orgId = caller.organization.id;
  requireText(input.body);
  const place = placeOf(input);
  const { id: changeRequestId, head_sha } = await requireChangeRequest(ctx, orgId, repositoryId, number);
  const { body, in_reply_to = '' } = input;
  // Comments are never deleted, so that nothing is posted at the host in vain.
  const thread = await readPath(ctx.db.kysely, orgId, changeRequestId, in_reply_to);
  if (in_reply_to !== '' && thread === undefined)
    throw fieldError('/in_reply_to', 'does not exist in this change request.');
  // The file of a thread may have left the change since.
  if (place.path !== '' && place.path !== thread && !(await changesFile(ctx, caller, repositoryId, number, place.path)))
    throw fieldError(
      input.file === undefined ? '/path' : '/file',
      `: the change request changes no file ${JSON.stringify(place.path)}. Name one of its diff, or omit it to comment on the whole.`,
    );
  await postAtHost(ctx, orgId, repositoryId, number, input);
  return mutate(ctx, caller, async (trx, audit) => {
    const now = ctx.clock.now();
    const id = newId('crc', now.getTime());
    audit({
      action: 'change_request.comment',
      resource: { type: 'change_request', id: changeRequestId },
      changes: { comment_id: id },
    });
    return insertComment(trx, {
      id,
      org_id: orgId,
      change_request_id: changeRequestId,
      body,
      ...place,
      head_sha,
      in_reply_to,
      author_type: caller.principal.type,
      author_id: caller.principal.id,
      created_at: now,
    });
  });
}

/** Returns true if a change request has a file, before or after the change, or if too many files differ to tell. */
async function changesFile(ctx: PostContext, caller: Actor, repositoryId: string, number: number, path: string) {
  try {
    const { files } = await diffChangeRequest(ctx, caller, repositoryId, number);
    return files.some((file) => file.path === path || file.old_path === path);
  } catch (error) {
    if (error instanceof ComparisonTooLarge) return true;
    throw error;
  }
}

async function postAtHost(
  ctx: PostContext,
  orgId: string,
  repositoryId: string,
  number: number,
  input: CreateComment,
): Promise<void> {
  const repository = await requireRepository(ctx, orgId, repositoryId);
  const { comment } = ctx.sourceControl.of(repository.provider);
  if (comment === undefined) return;
  const { path, line } = placeOf(input);
  const place = path === '' ? '' : `\`${path}${line === null ? '' : `:${line}`}\`\n\n`;
  await hostTurns.run(orgId, () => comment(refOf(orgId, repository), number, `${place}${input.body}`));
}

/**
 * Resolves a comment, or changes its text, which requires its author or `org:write`. Throws 403 `forbidden`, 404
 * `comment_not_found`.
 */
export async function updateComment(
  ctx: CommentContext,
  caller: Caller,
  place: { repositoryId: string; number: number; commentId: string },
  input: UpdateComment,
) {
  const orgId = caller.organization.id;
  if (Object.keys(input).length === 0)
    throw fieldError('', (name) => `must have ${name('/resolved')}, ${name('/body')} or both.`);
  requireText(input.body);
  const { id: changeRequestId } = await requireChangeRequest(ctx, orgId, place.repositoryId, place.number);
  return mutate(ctx, caller, async (trx, audit) => {
    const comment = await lockComment(trx, orgId, changeRequestId, place.commentId);
    if (comment === undefined) throw notFound('comment', place.commentId);
    await requireMatch(caller, () => comment);
    const { type, id } = caller.principal;
    const isAuthor = comment.author_type === type && comment.author_id === id;
    if (input.body !== undefined && !isAuthor && !caller.scopes.has('org:write'))
      throw new AppError(
        'forbidden',
        'Only its author, or a holder of the scope org:write, can change the text of a comment.',
      );
    if (changesNothing(comment, input)) return comment;
    audit({
      action: 'change_request.comment_update',
      resource: { type: 'change_request', id: changeRequestId },
      changes: {
        comment_id: comment.id,
        ...(input.resolved === undefined ? {} : { resolved: input.resolved }),
        ...(input.body === undefined ? {} : { body: 'changed' }),
      },
    });
    return updateCommentRow(trx, comment.id, input);
  });
}

/** Throws 400 `invalid_request` for a blank text. */
function requireText(body: string | undefined): void {
  if (body !== undefined && isBlank(body)) throw fieldError('/body', 'must not be blank.');
}

/** Returns the place of a comment in the change. Throws 400 `invalid_request` for an invalid place. */
function placeOf({ file, path, side = 'new', line, start_line }: CreateComment) {
  if (file !== undefined && path !== undefined && file !== path)
    throw fieldError('/file', (name) => `means the same as ${name('/path')} and must be equal. Send only one.`);
  if (start_line !== undefined && (line === undefined || start_line > line))
    throw fieldError('/start_line', (name) => `requires ${name('/line')}, and must not be greater.`);
  const commented = file ?? path ?? '';
  if (line !== undefined && commented === '')
    throw fieldError('/line', (name) => `requires ${name('/file')}, which names the commented file.`);
  return { path: commented, side, line: line ?? null, start_line: start_line ?? null };
}
