import { Type } from 'typebox';
import { Id, named, Principal, Timestamp } from '../../http/schema.ts';

export const Attachment = named(
  'Attachment',
  Type.Object({
    id: Id,
    name: Type.String(),
    content_type: Type.String({ description: 'Media type, detected from the content.' }),
    size_bytes: Type.Integer({ minimum: 0 }),
    sha256: Type.String({ description: '64 hexadecimal digits.' }),
    created_by: Principal,
    created_at: Timestamp,
  }),
);
