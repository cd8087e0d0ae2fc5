import { Type } from 'typebox';
import type { Context } from '../../app/context.ts';
import { fileOf } from '../../http/multipart.ts';
import { route, type Route } from '../../http/route.ts';
import { Bytes, Id, List, ListQuery, Text } from '../../http/schema.ts';
import { createAddressGuard } from '../ip-access-list/guard.ts';
import { Attachment } from './schemas.ts';
import {
  deleteAttachment,
  downloadUrl,
  getAttachment,
  keepAttachment,
  listAttachments,
  maxBytes,
  openDownload,
  receiveAttachment,
} from './service.ts';
import * as examples from './examples.ts';

type AttachmentContext = Pick<Context, 'db' | 'clock' | 'blobs' | 'disk' | 'log' | 'keyRing' | 'baseUrl'>;

export function attachmentRoutes(ctx: AttachmentContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/attachments',
      id: 'listAttachments',
      summary: 'List attachments',
      description: 'Newest first, of the whole organization, without their content.',
      scope: 'attachments:read',
      query: ListQuery({}),
      status: 200,
      answer: List(Attachment),
      handle: ({ caller, query }) => listAttachments(ctx, caller, query),
    }),
    route({
      method: 'POST',
      path: '/attachments',
      id: 'createAttachment',
      summary: 'Upload an attachment',
      description:
        'Takes `multipart/form-data` with one field, `file`, of at most 100 MiB (413 `payload_too_large`). ' +
        '`content_type` is detected from the bytes, not taken from the request. Pass it to sessions in ' +
        "`attachment_ids`. 402 `budget_exceeded` if the organization's storage is full.",
      scope: 'attachments:write',
      multipart: { maxBytes },
      examples: examples.createAttachment,
      status: 201,
      answer: Attachment,
      errors: [402, 502],
      handle: async ({ caller, request, reply }) => {
        const received = await receiveAttachment(ctx, caller, await fileOf(request));
        const { name, sha256 } = received;
        const repeats = () => request.beginIdempotent(reply, `${name}\n${sha256}`);
        return (await keepAttachment(ctx, caller, received, repeats)) ?? reply;
      },
    }),
    route({
      method: 'GET',
      path: '/attachments/:id',
      id: 'getAttachment',
      summary: 'Get an attachment',
      description: 'Returns its metadata; its content is at `/download`.',
      scope: 'attachments:read',
      params: { id: Id },
      status: 200,
      answer: Attachment,
      handle: ({ caller, params }) => getAttachment(ctx, caller, params.id),
    }),
    route({
      method: 'GET',
      path: '/attachments/:id/download',
      id: 'downloadAttachment',
      summary: 'Create a download URL',
      description:
        'Returns 307 with the URL in `location`. The URL works without a key for ten minutes, for this ' +
        'attachment only: at the blob store if that signs URLs and the organization does not restrict addresses, ' +
        'else at this API. It is served as an attachment, with `nosniff`.',
      scope: 'attachments:read',
      params: { id: Id },
      status: 307,
      answer: Type.Null(),
      followed: { answerType: '*/*', description: 'The file, for a client that follows the redirect.' },
      errors: [502],
      handle: async ({ caller, params, reply }) =>
        reply.header('location', await downloadUrl(ctx, caller, params.id)).send(),
    }),
    route({
      method: 'DELETE',
      path: '/attachments/:id',
      id: 'deleteAttachment',
      summary: 'Delete an attachment',
      description:
        'Also deletes its content. Its URLs stop working, and messages can no longer name it. Existing sandboxes ' +
        'keep their copy; later ones do not get it.',
      scope: 'attachments:write',
      params: { id: Id },
      status: 204,
      answer: Type.Null(),
      handle: ({ caller, params }) => deleteAttachment(ctx, caller, params.id),
    }),
  ];
}

/** The routes that signed links lead to. */
export function downloadRoutes(ctx: AttachmentContext): Route[] {
  const guard = createAddressGuard(ctx);
  return [
    route({
      method: 'GET',
      path: '/attachments/downloads/:token',
      id: 'openDownload',
      summary: 'Download an attachment by its signed URL',
      description:
        'Served as an attachment, with its uploaded name. A URL works for ten minutes, any number of times; then ' +
        '404 `attachment_not_found`. 403 `ip_not_allowed` if the organization restricts addresses.',
      scope: 'none',
      params: { token: Text(1_000) },
      status: 200,
      answer: Bytes,
      answerType: '*/*',
      sends: ['content-disposition'],
      errors: [502],
      handle: async ({ params, request, reply }) => {
        const { content, contentType, sizeBytes, disposition } = await openDownload(
          ctx,
          guard,
          params.token,
          request.ip,
        );
        return reply
          .type(contentType)
          .header('content-length', sizeBytes)
          .header('content-disposition', disposition)
          .header('content-security-policy', "default-src 'none'; sandbox")
          .send(content);
      },
    }),
  ];
}
