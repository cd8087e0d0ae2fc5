import { Type, type Static } from 'typebox';
import { explain, named } from '../../http/schema.ts';

const bytes = Type.Integer({ minimum: 0 });

export const StorageUse = named(
  'StorageUse',
  Type.Object({
    used_bytes: bytes,
    max_bytes: bytes,
    by_kind: Type.Object({ repositories: bytes, checkpoints: bytes, artifacts: bytes, attachments: bytes }),
  }),
);
export type StorageUse = Static<typeof StorageUse>;

explain('StorageUse', {
  used_bytes: 'All that counts. Work that is under way may take a tenth more than `max_bytes`.',
  max_bytes: 'What the operator allows; 0 is any number.',
  by_kind: 'The parts of `used_bytes`.',
  'by_kind.repositories': 'Of the built-in git host, as they lie on its disk; a deleted one counts until it is purged.',
  'by_kind.checkpoints': 'What sessions did, and what their agents remember; it goes with the session.',
  'by_kind.artifacts': 'Outputs and evidence of sessions; they go with the session.',
  'by_kind.attachments': 'Files that people brought.',
});
