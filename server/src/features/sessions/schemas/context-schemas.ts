import { Type, type Static } from 'typebox';
import { AnyObject, Id, named, NullableTimestamp, OneOf } from '../../../http/schema.ts';
import { runtimes } from '../../../adapters/agent/drivers.ts';
import { GivenNote } from '../../knowledge/given.ts';
import { exposures, kinds, scopes } from '../../secrets/schemas.ts';
import { modes } from './session-schemas.ts';

const reason = Type.String({ description: 'Why the session was given it.' });
const revision = Type.Integer({ minimum: 0 });

export const GivenMemory = Type.Object({
  memory_id: Id,
  provider: Type.String(),
  repo: Type.String(),
  title: Type.String(),
  revision,
  path: Type.String({ description: 'Path of its file in the sandbox, starting with `~/`.' }),
  sha256: Type.String(),
  reason,
});
export type GivenMemory = Static<typeof GivenMemory>;

export const GivenSkill = Type.Object({
  id: Type.String({ description: '"" for a skill stored in the repository.' }),
  name: Type.String(),
  description: Type.String(),
  source: OneOf(['managed', 'repository', 'imported']),
  revision,
  digest: Type.String(),
  path: Type.String({ description: 'Path of its directory in the sandbox.' }),
  reason,
  match: Type.Optional(Type.String({ description: 'Why the prompt seems to ask for it; absent if it does not.' })),
});
export type GivenSkill = Static<typeof GivenSkill>;

export const GivenServer = Type.Object({
  id: Id,
  slug: Type.String(),
  name: Type.String(),
  transport: OneOf(['http', 'sse', 'stdio']),
  tools: Type.Array(Type.Object({ name: Type.String(), description: Type.String() })),
  problem: Type.String({ description: 'Why it is unavailable; "" if it is available.' }),
  reason,
});
export type GivenServer = Static<typeof GivenServer>;

export const GivenBrowser = Type.Object({
  available: Type.Boolean(),
  problem: Type.String({ description: 'Why there is none; "" if there is one.' }),
});
export type GivenBrowser = Static<typeof GivenBrowser>;

const GivenSecret = Type.Object({
  name: Type.String(),
  version: Type.Integer({ minimum: 0, description: '0 for a session secret.' }),
  kind: OneOf([...kinds, '']),
  exposure: OneOf([...exposures, '']),
  scope: OneOf([...scopes, 'session']),
  reason,
});
export type GivenSecret = Static<typeof GivenSecret>;

export const GivenSetting = Type.Object({ namespace: Type.String(), value: AnyObject, reason });
export type GivenSetting = Static<typeof GivenSetting>;

export const SessionContext = named(
  'SessionContext',
  Type.Object({
    session_id: Id,
    turn: Type.Integer({
      minimum: 0,
      description:
        'The turn that it was assembled for: the last one that began in a fresh sandbox; 0 before the first. Later turns in the same sandbox keep it.',
    }),
    created_at: NullableTimestamp,
    knowledge: Type.Array(GivenNote, { description: "A user's own notes are listed only for that user." }),
    memory: Type.Array(GivenMemory),
    skills: Type.Array(GivenSkill),
    mcp_servers: Type.Array(GivenServer),
    browser: GivenBrowser,
    secrets: Type.Array(GivenSecret, {
      description:
        'The newest version of each that the session got so far; kind and exposure are "" if it was deleted. A user\'s own secrets are listed only for that user.',
    }),
    settings: Type.Array(GivenSetting),
    agent: Type.Object({
      id: Id,
      name: Type.String(),
      version: Type.Integer(),
      runtime: OneOf(runtimes),
      model: Type.String({ description: '"" until it is decided.' }),
      mode: OneOf(modes),
    }),
  }),
);
export type SessionContext = Static<typeof SessionContext>;
