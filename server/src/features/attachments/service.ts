import { Transform, type Readable } from 'node:stream';
import type { Transaction } from 'kysely';
import type { Actor, AuthenticatedCaller, Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { countRows } from '../../db/count.ts';
import type { DB } from '../../db/types.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { isBlank } from '../../lib/one-line.ts';
import { paginate, type PageQuery } from '../../lib/paging.ts';
import { mutate } from '../../mutation/mutate.ts';
import type { AddressGuard } from '../ip-access-list/guard.ts';
import { inRanges } from '../../lib/cidr.ts';
import { boundsOf, endWithin } from '../keys/bounds.ts';
import { removeBlob } from '../storage/orphan-service.ts';
import { requireDisk } from '../storage/quota-service.ts';
import { contentTypeOf, sniffedBytes } from './content-type.ts';
import { linkSeconds, openLink, signLink } from './links.ts';
import {
  attachmentsQuery,
  deleteAttachmentRow,
  insertAttachment,
  listAttachmentRows,
  lockAttachments,
  readAttachment,
  readAttachments,
  readDownloadRules,
} from './store.ts';

type AttachmentContext = Pick<Context, 'db' | 'clock' | 'blobs' | 'log'>;
type UploadContext = AttachmentContext & Pick<Context, 'disk'>;
type AttachmentRow = NonNullable<Awaited<ReturnType<typeof readAttachment>>>;

/** 100 MiB. */
export const maxBytes = 104_857_600;

export async function listAttachments(ctx: AttachmentContext, caller: Actor, query: PageQuery) {
  const rows = attachmentsQuery(ctx.db.kysely, caller.organization.id);
  const page = await paginate({
    list: 'attachments',
    filters: { orgId: caller.organization.id },
    query,
    rows: (after, limit) => listAttachmentRows(rows, after, limit),
    total: () => countRows(ctx.db, rows),
  });
  return page;
}

export async function getAttachment(ctx: AttachmentContext, caller: Actor, id: string) {
  return requireAttachment(ctx, caller.organization.id, id);
}

/** A received file; it belongs to nobody until {@link keepAttachment}. */
export interface Received {
  id: string;
  name: string;
  contentType: string;
  sizeBytes: number;
  sha256: string;
}

/**
 * Stores a file while it arrives, in constant memory. Throws 413 `payload_too_large`, 400, 402 `budget_exceeded` if the
 * organization's storage is full, and 503; nothing is stored then.
 */
export async function receiveAttachment(
  ctx: UploadContext,
  caller: Actor,
  file: { name: string; content: Readable; end: () => Promise<void> },
): Promise<Received> {
  requireDisk(ctx);
  const id = newId('att', ctx.clock.now().getTime());
  const heads: Buffer[] = [];
  let seen = 0;
  const peek = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (seen < sniffedBytes) heads.push(chunk.subarray(0, sniffedBytes - seen));
      seen += chunk.length;
      done(null, chunk);
    },
  });
  file.content.on('error', (error) => peek.destroy(error));
  const blob = blobOf(caller.organization.id, id);
  const { sizeBytes, sha256 } = await ctx.blobs.put(blob, file.content.pipe(peek));
  try {
    await file.end();
  } catch (error) {
    await ctx.blobs.delete(blob);
    throw error;
  }
  return { id, name: fileNameOf(file.name), contentType: await contentTypeOf(Buffer.concat(heads)), sizeBytes, sha256 };
}

/**
 * Makes a received file an attachment of the organization; undefined if the request repeats an earlier one. Deletes a
 * file that is not kept.
 */
export async function keepAttachment(
  ctx: AttachmentContext,
  caller: Caller,
  file: Received,
  repeats: () => Promise<boolean>,
) {
  const orgId = caller.organization.id;
  const blob = blobOf(orgId, file.id);
  try {
    if (await repeats()) {
      await removeBlob(ctx, blob);
      return undefined;
    }
    return await mutate(ctx, caller, async (trx, audit) => {
      const row = await insertAttachment(trx, {
        id: file.id,
        org_id: orgId,
        name: file.name,
        content_type: file.contentType,
        size_bytes: file.sizeBytes,
        sha256: file.sha256,
        created_by_type: caller.principal.type,
        created_by_id: caller.principal.id,
        created_at: ctx.clock.now(),
      });
      audit({
        action: 'attachment.create',
        resource: { type: 'attachment', id: file.id },
        changes: { name: file.name, size_bytes: file.sizeBytes, sha256: file.sha256 },
      });
      return row;
    });
  } catch (error) {
    await removeBlob(ctx, blob);
    throw error;
  }
}

export async function deleteAttachment(ctx: AttachmentContext, caller: Caller, id: string): Promise<null> {
  const orgId = caller.organization.id;
  await mutate(ctx, caller, async (trx, audit) => {
    if (!(await deleteAttachmentRow(trx, orgId, id))) throw notFound('attachment', id);
    audit({ action: 'attachment.delete', resource: { type: 'attachment', id } });
    return null;
  });
  await removeBlob(ctx, blobOf(orgId, id));
  return null;
}

/**
 * Returns a URL for the content that works without a key, for ten minutes or until the caller's credential expires: at
 * the blob store if that signs URLs, else at this API. Always at this API if the organization or the key restricts
 * addresses, which a blob store cannot check.
 */
export async function downloadUrl(
  ctx: AttachmentContext & Pick<Context, 'keyRing' | 'baseUrl'>,
  caller: AuthenticatedCaller,
  id: string,
): Promise<string> {
  const orgId = caller.organization.id;
  const row = await requireAttachment(ctx, orgId, id);
  const rules = await readDownloadRules(ctx.db.kysely, orgId);
  const now = ctx.clock.now().getTime();
  const expires = endWithin(caller, new Date(now + linkSeconds * 1_000));
  const { ipRanges: from } = boundsOf(caller);
  if (ctx.blobs.signedUrl !== undefined && rules?.ip_list_enabled === false && from.length === 0)
    return ctx.blobs.signedUrl(blobOf(orgId, id), {
      expiresInSeconds: Math.max(1, Math.floor((expires.getTime() - now) / 1_000)),
      contentType: row.content_type,
      contentDisposition: dispositionOf(row.name),
    });
  return `${ctx.baseUrl()}/v3/attachments/downloads/${signLink(ctx, { org: orgId, id, expires, from })}`;
}

/**
 * Returns the attachment of a signed link with its bytes, which the caller must read or destroy. Throws 404, 403
 * `ip_not_allowed`.
 */
export async function openDownload(
  ctx: AttachmentContext & Pick<Context, 'keyRing'>,
  guard: AddressGuard,
  token: string,
  ip: string,
) {
  const gone = new AppError(
    'attachment_not_found',
    'This link is invalid or has expired: links work for ten minutes. Create a new one.',
  );
  const link = openLink(ctx, token);
  if (link === undefined) throw gone;
  const rules = await readDownloadRules(ctx.db.kysely, link.org);
  const row = await readAttachment(ctx.db.kysely, link.org, link.id);
  if (rules?.state !== 'active' || row === undefined) throw gone;
  if (link.from.length > 0 && !inRanges(ip, link.from))
    throw new AppError('ip_not_allowed', `This link cannot be used from ${ip}.`);
  if (rules.ip_list_enabled) await guard(link.org, rules.ip_list_revision, ip);
  const content = await ctx.blobs.get(blobOf(link.org, link.id));
  if (content === undefined) throw gone;
  return { content, contentType: row.content_type, sizeBytes: row.size_bytes, disposition: dispositionOf(row.name) };
}

/** An attachment in the form that a session's agent gets. */
export interface SessionFile {
  id: string;
  name: string;
  contentType: string;
  sizeBytes: number;
  blob: string;
}

/** Returns those of these attachments that exist, in the order of the ids. */
export async function attachmentsOf(
  ctx: Pick<Context, 'db'>,
  orgId: string,
  ids: readonly string[],
): Promise<SessionFile[]> {
  const rows = new Map((await readAttachments(ctx.db.kysely, orgId, ids)).map((row) => [row.id, row]));
  return ids.flatMap((id) => {
    const row = rows.get(id);
    if (row === undefined) return [];
    const { name, content_type: contentType, size_bytes: sizeBytes } = row;
    return [{ id, name, contentType, sizeBytes, blob: blobOf(orgId, id) }];
  });
}

/** Throws 404 `attachment_not_found` for the first id that does not belong to the organization. */
export async function requireAttachments(
  ctx: Pick<Context, 'db'>,
  orgId: string,
  ids: readonly string[],
): Promise<void> {
  const there = new Set((await readAttachments(ctx.db.kysely, orgId, ids)).map(({ id }) => id));
  const missing = ids.find((id) => !there.has(id));
  if (missing !== undefined) throw notFound('attachment', missing);
}

/**
 * Keeps these attachments from being deleted until the transaction ends, which stores a reference to them. Throws 404
 * `attachment_not_found` for the first that does not exist.
 */
export async function holdAttachments(trx: Transaction<DB>, orgId: string, ids: readonly string[]): Promise<void> {
  const there = new Set(await lockAttachments(trx, orgId, ids));
  const missing = ids.find((id) => !there.has(id));
  if (missing !== undefined) throw notFound('attachment', missing);
}

async function requireAttachment(ctx: Pick<Context, 'db'>, orgId: string, id: string): Promise<AttachmentRow> {
  const row = await readAttachment(ctx.db.kysely, orgId, id);
  if (row === undefined) throw notFound('attachment', id);
  return row;
}

export function blobOf(orgId: string, id: string): string {
  return `attachments/${orgId}/${id}`;
}

/** Returns the last segment of the client's file name, without characters that are unsafe in names. */
function fileNameOf(claimed: string): string {
  // Browsers escape quotation marks in a form's file names.
  const last = claimed.toWellFormed().replaceAll('%22', '"').split(/[/\\]/).at(-1) ?? '';
  const clean = last
    .replaceAll(/\p{Control}|\p{Surrogate}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '')
    .trim();
  const short = Array.from(clean).slice(0, 200).join('');
  return isBlank(short) || /^\.*$/.test(short) ? 'file' : short;
}

/** Formats a disposition by RFC 6266: an ASCII name for old clients, and the full name. */
function dispositionOf(name: string): string {
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${name.replaceAll(/[^\w. -]/g, '_')}"; filename*=UTF-8''${encoded}`;
}
