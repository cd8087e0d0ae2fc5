import { Type, type Static } from 'typebox';
import {
  AnyObject,
  Body,
  explain,
  Id,
  named,
  NullableInteger,
  NullableNumber,
  OneOf,
  Timestamp,
} from '../../http/schema.ts';

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
    version: Type.Integer({ description: 'Version of the agent.' }),
    digest: Type.String({
      description: 'Digest of the manifest as compact JSON: `sha256:` and 64 hexadecimal characters.',
    }),
    manifest: Type.Object(Manifest.properties, {
      description:
        'The manifest, with its keys in a fixed order. Every credential is replaced by `{"$secret": "NAME"}`. Every version includes what the organization gives all of its agents now: the enabled `mcp_servers`, `skills` and `knowledge`, and `sandbox`. If there are more than 1,000 notes, the newest are combined in one entry, `{digest, omitted}`.',
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

explain('Blueprint', {
  'manifest.tools': 'The tools of its runtime.',
  'manifest.mcp_servers': 'The enabled MCP servers.',
  'manifest.skills': 'The enabled skills.',
  'manifest.knowledge': 'The enabled knowledge notes.',
  'manifest.sandbox': 'The settings `sandbox`.',
  redactions: 'The credentials that were replaced in the manifest.',
  'redactions.name': 'The name in the placeholder, `{"$secret": "NAME"}`.',
});
explain('BlueprintExport', {
  items: 'One per agent, at its newest version.',
});
explain('BlueprintDiff', {
  identical: 'True if nothing differs.',
  from_digest: 'Digest of the manifest that `from` names.',
  to_digest: 'Digest of the manifest that `to` names or contains.',
  changes: 'The changes from the first to the second, in the order of their keys.',
  'changes.op': 'The change at `path`.',
  'changes.from': 'The value in the first; null for none.',
  'changes.value': 'The value in the second; null for none.',
});
explain('DiffBlueprintsRequest', {
  from: 'The first blueprint.',
  'from.version': 'Version of the agent; default the newest.',
  to: 'The second: another blueprint, another version, or a manifest.',
  'to.id': 'The second blueprint. Exactly one of `id` and `manifest`.',
  'to.version': 'Version of the agent; default the newest.',
  'to.manifest': 'A manifest of your own, such as one from a file. Exactly one of `id` and `manifest`.',
});
