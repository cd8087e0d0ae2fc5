import { Type, type Static } from 'typebox';
import { Id, OneOf } from '../../http/schema.ts';

const reason = Type.String({ description: 'Why the session was given it, in words.' });
const revision = Type.Integer({ minimum: 0 });

export const GivenNote = Type.Object({
  note_id: Id,
  name: Type.String(),
  revision,
  scope: OneOf(['organization', 'repository', 'user']),
  score: Type.Number({ minimum: 0, maximum: 1 }),
  reason,
});
export type GivenNote = Static<typeof GivenNote>;

export const GivenMemory = Type.Object({
  memory_id: Id,
  provider: Type.String(),
  repo: Type.String(),
  title: Type.String(),
  revision,
  path: Type.String({ description: 'Of its file in the sandbox, from `~/`.' }),
  sha256: Type.String(),
  reason,
});
export type GivenMemory = Static<typeof GivenMemory>;

export const GivenSkill = Type.Object({
  id: Type.String({ description: '"" for a skill that lies in the repository itself.' }),
  name: Type.String(),
  description: Type.String(),
  source: OneOf(['managed', 'repository', 'imported']),
  revision,
  digest: Type.String(),
  path: Type.String({ description: 'Of its directory in the sandbox.' }),
  reason,
});
export type GivenSkill = Static<typeof GivenSkill>;

export const GivenServer = Type.Object({
  id: Id,
  slug: Type.String(),
  name: Type.String(),
  transport: OneOf(['http', 'sse', 'stdio']),
  tools: Type.Array(Type.Object({ name: Type.String(), description: Type.String() })),
  problem: Type.String({ description: 'Why it is not there; "" when it is.' }),
  reason,
});
export type GivenServer = Static<typeof GivenServer>;

export const GivenBrowser = Type.Object({
  available: Type.Boolean(),
  problem: Type.String({ description: 'Why there is none; "" when there is one.' }),
});
export type GivenBrowser = Static<typeof GivenBrowser>;
