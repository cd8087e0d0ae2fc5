import { Type, type Static } from 'typebox';
import { AnyObject, Body, Id, named, NullableInteger, NullableNumber, OneOf, Timestamp } from '../../http/schema.ts';

const Any = Type.Unsafe<unknown>({});
const AnyList = Type.Array(Any);

const Manifest = Type.Object({
  model: Any,
  system_prompt: Any,
  max_tokens: NullableInteger,
  temperature: NullableNumber,
  tools: Any,
  mcp_servers: AnyList,
  skills: AnyList,
  knowledge: AnyList,
  sandbox: Any,
});

export const Blueprint = named(
  'Blueprint',
  Type.Object({
    id: Id,
    agent_id: Id,
    name: Type.String(),
    version: Type.Integer({ description: "The agent's." }),
    digest: Type.String({ description: 'Of the manifest as compact JSON: `sha256:` and 64 hexadecimal characters.' }),
    manifest: Type.Object(Manifest.properties, {
      description:
        'Its keys have one order. Every credential is `{"$secret": "NAME"}`. What the organization gives all of its agents is as it is now, in every version: `mcp_servers`, `skills` and `knowledge` that are enabled, and `sandbox`. Of more than 1,000 notes the newest stand as one entry, `{digest, omitted}`.',
    }),
    redactions: Type.Array(Type.Object({ path: Type.String({ description: 'A JSON pointer.' }), name: Type.String() })),
    created_at: Timestamp,
  }),
);

export const BlueprintExport = named(
  'BlueprintExport',
  Type.Object({ items: Type.Array(Blueprint), total: Type.Integer() }),
);

const version = Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647 }));
export const DiffBlueprints = Body({
  from: Body({ id: Id, version }),
  to: Body({ id: Type.Optional(Id), version, manifest: Type.Optional(AnyObject) }),
});
export type DiffBlueprints = Static<typeof DiffBlueprints>;

export const BlueprintDiff = named(
  'BlueprintDiff',
  Type.Object({
    identical: Type.Boolean(),
    from_digest: Type.String(),
    to_digest: Type.String(),
    changes: Type.Array(
      Type.Object({
        op: OneOf(['add', 'remove', 'replace']),
        path: Type.String({ description: 'A JSON pointer into the manifest.' }),
        from: Any,
        value: Any,
      }),
    ),
  }),
);
