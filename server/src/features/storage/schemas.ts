import { Type, type Static } from 'typebox';
import { explain, named } from '../../http/schema.ts';

const bytes = Type.Integer({ minimum: 0 });

export const StorageUse = named(
  'StorageUse',
  Type.Object({
    used_bytes: bytes,
    max_bytes: bytes,
    by_kind: Type.Object({
      repositories: bytes,
      checkpoints: bytes,
      artifacts: bytes,
      attachments: bytes,
      wikis: bytes,
    }),
  }),
);
export type StorageUse = Static<typeof StorageUse>;

explain('StorageUse', {
  used_bytes: 'The total. Running work may exceed `max_bytes` by a tenth.',
  max_bytes: 'The limit set by the operator; 0 is unlimited.',
  by_kind: 'The parts of `used_bytes`.',
  'by_kind.repositories':
    'Repositories on the built-in git host, as stored on its disk; a deleted one counts until it is purged.',
  'by_kind.checkpoints': 'Checkpoints and agent state of sessions; deleted with the session.',
  'by_kind.artifacts': 'Outputs and evidence of sessions; deleted with the session.',
  'by_kind.attachments': 'Uploaded attachments.',
  'by_kind.wikis': "Pages of repositories' wikis, with their prose; they count until the repository is purged.",
});
