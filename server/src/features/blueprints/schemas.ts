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

explain('Blueprint', {
  'manifest.tools': 'The tools of its runtime.',
  'manifest.mcp_servers': 'The enabled MCP servers.',
  'manifest.skills': 'The skills that are enabled.',
  'manifest.knowledge': 'The knowledge notes that are enabled.',
  'manifest.sandbox': 'Settings `sandbox`.',
  redactions: 'Where in the manifest a credential stood.',
  'redactions.name': 'What stands there in its place, as `{"$secret": "NAME"}`.',
});
explain('BlueprintExport', {
  items: 'One of each agent, at its newest version.',
});
explain('BlueprintDiff', {
  identical: 'Whether nothing differs.',
  from_digest: 'Of the manifest that `from` names.',
  to_digest: 'Of the manifest that `to` names or holds.',
  changes: 'What makes the first of the second, in the order of their keys.',
  'changes.op': 'What happens at `path`.',
  'changes.from': 'What is there in the first; null where there is nothing.',
  'changes.value': 'What is there in the second; null where there is nothing.',
});
explain('DiffBlueprintsRequest', {
  from: 'The first one.',
  'from.version': "The agent's version; the newest unless given.",
  to: 'The second one: another blueprint, another version, or a manifest.',
  'to.id': 'The second blueprint. Exactly one of `id` and `manifest`.',
  'to.version': "The agent's version; the newest unless given.",
  'to.manifest': 'A manifest of your own, such as one from a file. Exactly one of `id` and `manifest`.',
});
