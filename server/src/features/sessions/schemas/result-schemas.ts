import { Type, type Static } from 'typebox';
import { Body, Id, Name, named, Text, Timestamp } from '../../../http/schema.ts';

export const Artifact = named(
  'Artifact',
  Type.Object({
    id: Id,
    name: Type.String(),
    content_type: Type.String(),
    size_bytes: Type.Integer(),
    sha256: Type.String(),
    created_at: Timestamp,
  }),
);
export const CreateSessionChangeRequest = Body({
  repo: Type.Optional(Text(200)),
  title: Type.Optional(Name(500)),
  body: Type.Optional(Text(65_536)),
  draft: Type.Optional(Type.Boolean()),
});
export type CreateSessionChangeRequest = Static<typeof CreateSessionChangeRequest>;
