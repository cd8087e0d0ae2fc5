import { Type, type Static } from 'typebox';
import { AnyObject, Body, explain, Id, ListQuery, Name, named, OneOf, Text, Timestamp } from '../../http/schema.ts';
import { prefixesText } from '../../lib/providers.ts';

const sources = ['custom', 'catalog', 'blueprint'] as const;
export const accesses = ['organization', 'repositories', 'on_request'] as const;
export type Access = (typeof accesses)[number];

/** The most bytes of a secret value, in UTF-8. */
export const maxSecretBytes = 16_384;

const Texts = Type.Unsafe<Record<string, string>>({ type: 'object', additionalProperties: { type: 'string' } });

/** As in the source document, section 2. */
const record = {
  id: Id,
  slug: Type.String(),
  name: Type.String(),
  icon: Type.String(),
  description: Type.String(),
  source: OneOf(sources),
  url: Type.String({ description: '"" for a server that is a command.' }),
  command: Type.String({ description: '"" for a server that has a URL.' }),
  args: Type.Array(Type.String()),
  env: Texts,
  headers: Texts,
  secret_names: Type.Array(Type.String(), { description: 'The names that have a value; no value is ever answered.' }),
  access: OneOf(accesses),
  enabled: Type.Boolean(),
  created_at: Timestamp,
  updated_at: Timestamp,
};
export const McpServer = named('McpServer', Type.Object(record));

/** One of them, with what only its own page tells. */
export const McpServerDetail = named(
  'McpServerDetail',
  Type.Object({
    ...record,
    repos: Type.Array(Type.String(), {
      description: 'Which repositories have the access `repositories` to it, each as `provider:owner/name`.',
    }),
  }),
);

function texts(most: number, description: string) {
  return Type.Unsafe<Record<string, string>>({
    type: 'object',
    maxProperties: most,
    propertyNames: { type: 'string', minLength: 1, maxLength: 128 },
    additionalProperties: { type: 'string', maxLength: 4_000 },
    description,
  });
}

const fields = {
  slug: Type.Optional(
    Text(40, {
      pattern: '^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$',
      'x-form': '1 to 40 characters of a-z, 0-9 and -, with no - at either end',
      description: 'Its tools are called `<slug>__<tool>`. Made from the name when absent.',
    }),
  ),
  icon: Type.Optional(Text(2_000, { description: 'An emoji, or the URL of an image; "" unless given.' })),
  description: Type.Optional(Text(2_000)),
  url: Type.Optional(
    Text(2_000, {
      description:
        'http or https, for streamable HTTP or SSE, and without credentials. Exactly one of url and command.',
    }),
  ),
  command: Type.Optional(
    Text(1_000, { description: 'A program that speaks over stdio; it runs inside the sandbox of a session alone.' }),
  ),
  args: Type.Optional(Type.Array(Text(4_000), { maxItems: 100 })),
  env: Type.Optional(texts(100, 'Variables of a command. A value may contain `${NAME}`, which stands for a secret.')),
  headers: Type.Optional(
    texts(50, 'Headers of every request to a URL. A value may contain `${NAME}`, which stands for a secret.'),
  ),
  access: Type.Optional(
    OneOf(accesses, {
      description:
        '`organization`, the default of a new one: every session gets it. `repositories`: those on one of `repos`. `on_request`: those that name it in `mcp_server_ids`.',
    }),
  ),
  repos: Type.Optional(
    Type.Array(Text(220, { minLength: 3, description: `\`owner/name\`, in front ${prefixesText('`')} if need be.` }), {
      maxItems: 100,
      uniqueItems: true,
    }),
  ),
  enabled: Type.Optional(Type.Boolean()),
};
const name = Name(200);

export const CreateMcpServer = Body({ name, ...fields });
export type CreateMcpServer = Static<typeof CreateMcpServer>;
export const UpdateMcpServer = Body({ name: Type.Optional(name), ...fields });
export type UpdateMcpServer = Static<typeof UpdateMcpServer>;

export const McpServerQuery = ListQuery({
  enabled: Type.Optional(Text(20, { description: 'true, false' })),
  search: Type.Optional(Text(200, { description: 'Part of the name, the slug or the description.' })),
});
export type McpServerQuery = Static<typeof McpServerQuery>;

/** The name of a secret of a server: what stands in `${…}`. */
export const SecretName = Text(128, {
  pattern: '^[A-Za-z_][A-Za-z0-9_]{0,127}$',
  'x-form': 'a name of letters, digits and _, not beginning with a digit',
});
export const SetMcpServerSecret = Body({
  value: Text(maxSecretBytes, { minLength: 1, description: 'At most 16 KiB in UTF-8. It can be set, and never read.' }),
});

const tool = { name: Type.String(), description: Type.String() };

export const McpServerTest = named(
  'McpServerTest',
  Type.Object({
    ok: Type.Boolean(),
    latency_ms: Type.Integer({ minimum: 0, description: 'Until it answered who it is, or until it was given up.' }),
    server: Type.Object({ name: Type.String(), version: Type.String(), protocol_version: Type.String() }),
    tools_count: Type.Integer({ minimum: 0 }),
    tools: Type.Array(Type.Object(tool)),
    problem: Type.String({ description: 'Why it cannot be used; "" when it can.' }),
  }),
);

export const McpServerTools = named(
  'McpServerTools',
  Type.Object({
    items: Type.Array(Type.Object({ ...tool, input_schema: AnyObject })),
    total: Type.Integer({ minimum: 0 }),
  }),
);

explain(['McpServer', 'McpServerDetail'], {
  slug: 'Its tools are called `<slug>__<tool>`.',
  icon: 'An emoji, or the URL of an image; "" for none.',
  source: 'Where it comes from: `custom` was made here.',
  args: 'Arguments of the command.',
  env: 'Variables of the command. `${NAME}` stands for the secret of that name.',
  headers: 'Headers of every request to the URL. `${NAME}` stands for the secret of that name.',
  access:
    '`organization`: every session gets it. `repositories`: those on one of `repos`. `on_request`: those that name it in `mcp_server_ids`.',
});
explain(['CreateMcpServerRequest', 'UpdateMcpServerRequest'], {
  args: 'Arguments of the command, at most 100; `[]` in a new server unless given.',
  repos: 'Which repositories have the access `repositories` to it; `[]` in a new server unless given.',
});
explain('McpServerTest', {
  ok: 'Whether it can be used.',
  server: 'What it says of itself; "" where it said nothing.',
  'server.version': 'Its own version.',
  'server.name': 'What it calls itself.',
  'server.protocol_version': 'The version of MCP that it speaks, a date.',
  tools_count: 'How many tools it offers.',
  tools: 'Those tools.',
  'tools.name': 'As the server calls it.',
  'tools.description': 'What the server says of it.',
});
explain('McpServerTools', {
  items: 'All of its tools.',
  'items.name': 'As the server calls it.',
  'items.description': 'What the server says of it.',
  'items.input_schema': 'The JSON Schema of its input, as the server gives it.',
});
explain(['CreateMcpServerRequest'], { enabled: 'Whether sessions get it; true unless given.' });
