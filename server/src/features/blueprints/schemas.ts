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
/** A text; an object where it is a credential as a whole, whose place the name of a secret takes. */
const Redacted = Type.Unsafe<unknown>({
  type: ['string', 'object'],
  properties: { $secret: { type: 'string', description: 'The secret that takes the place of a credential.' } },
});
const RedactedByName = Type.Unsafe<unknown>({ type: 'object', additionalProperties: Redacted });

/** The keys of its parts have the order of the alphabet here too, because a response has them in the order of its schema. */
const Manifest = Type.Object({
  model: Redacted,
  system_prompt: Redacted,
  max_tokens: NullableInteger,
  temperature: NullableNumber,
  tools: Type.Unsafe<unknown>(Type.Array(Type.Object({ config: Any, name: Redacted }))),
  mcp_servers: Type.Unsafe<unknown[]>(
    Type.Array(
      Type.Object({
        access: Redacted,
        args: Type.Optional(Type.Array(Redacted)),
        command: Type.Optional(Redacted),
        description: Redacted,
        env: Type.Optional(RedactedByName),
        headers: Type.Optional(RedactedByName),
        name: Redacted,
        repos: Type.Array(Redacted),
        slug: Redacted,
        url: Type.Optional(Redacted),
      }),
    ),
  ),
  skills: Type.Unsafe<unknown[]>(
    Type.Array(Type.Object({ digest: Redacted, id: Redacted, name: Redacted, revision: Type.Integer() })),
  ),
  knowledge: Type.Unsafe<unknown[]>(
    Type.Array(
      Type.Object({
        digest: Type.Optional(Redacted),
        name: Type.Optional(Redacted),
        note_id: Type.Optional(Redacted),
        omitted: Type.Optional(Type.Integer()),
        revision: Type.Optional(Type.Integer()),
      }),
    ),
  ),
  sandbox: Type.Unsafe<unknown>(
    Type.Object({
      allowed_hosts: Type.Array(Redacted),
      cpu: Type.Number(),
      disk_mb: Type.Integer(),
      memory_mb: Type.Integer(),
      network: Redacted,
      pids: Type.Integer(),
    }),
  ),
});

export const Blueprint = named(
  'Blueprint',
  Type.Object({
    id: Id,
    agent_id: Id,
    name: Type.String(),
    description: Redacted,
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
  description: "The agent's description in this version.",
  'manifest.tools': 'The tools of its runtime.',
  'manifest.tools.name': 'The name of the tool, or of the runtime.',
  'manifest.tools.config': "The runtime's configuration; `{}` for none.",
  'manifest.mcp_servers': 'The enabled MCP servers.',
  'manifest.skills': 'The enabled skills.',
  'manifest.knowledge': 'The enabled knowledge notes.',
  'manifest.mcp_servers.access': 'The sessions that get it.',
  'manifest.mcp_servers.args': 'Arguments of the command.',
  'manifest.mcp_servers.command': 'The program, for a server in the sandbox.',
  'manifest.mcp_servers.env': 'Variables of the command.',
  'manifest.mcp_servers.headers': 'Headers of every request to the URL.',
  'manifest.mcp_servers.repos': 'The repositories that it applies to, as `provider:owner/name`.',
  'manifest.mcp_servers.slug': 'Its tools are named `<slug>__<tool>`.',
  'manifest.mcp_servers.url': 'The URL, for a remote server.',
  'manifest.knowledge.omitted': 'In the last entry: how many more notes there are.',
  'manifest.knowledge.digest': 'In the last entry: the digest of those notes.',
  'manifest.sandbox.cpu': 'Processors.',
  'manifest.sandbox.memory_mb': 'Memory, in MiB.',
  'manifest.sandbox.disk_mb': 'Disk, in MiB.',
  'manifest.sandbox.pids': 'Processes and threads.',
  'manifest.sandbox.network': 'The network that a sandbox reaches: `none`, `allowlist` or `open`.',
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
