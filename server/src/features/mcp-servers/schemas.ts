import { Type, type Static } from 'typebox';
import {
  AnyObject,
  Body,
  defaults,
  explain,
  Id,
  ListQuery,
  Name,
  named,
  OneOf,
  record,
  Text,
  Timestamp,
} from '../../http/schema.ts';
import { prefixesText } from '../../lib/providers.ts';

const sources = ['custom', 'catalog', 'blueprint'] as const;
export const accesses = ['organization', 'repositories', 'on_request'] as const;
export type Access = (typeof accesses)[number];

/** Maximum size of a secret value, in bytes of UTF-8. */
export const maxSecretBytes = 16_384;

const Texts = Type.Unsafe<Record<string, string>>({ type: 'object', additionalProperties: { type: 'string' } });

/** Fields of an MCP server. */
const shown = {
  id: Id,
  slug: Type.String(),
  name: Type.String(),
  icon: Type.String(),
  description: Type.String(),
  source: OneOf(sources),
  url: Type.String({ description: '"" for a server with a command.' }),
  command: Type.String({ description: '"" for a server with a URL.' }),
  args: Type.Array(Type.String()),
  env: Texts,
  headers: Texts,
  secret_names: Type.Array(Type.String(), {
    description: 'Names of the secrets that have a value; values are never returned.',
  }),
  access: OneOf(accesses),
  enabled: Type.Boolean(),
  created_at: Timestamp,
  updated_at: Timestamp,
};
export const McpServer = named('McpServer', Type.Object(shown));

/** One MCP server, with the fields that lists omit. */
export const McpServerDetail = record(
  'McpServerDetail',
  Type.Object({
    ...shown,
    repos: Type.Array(Type.String(), {
      description: 'The repositories that it applies to with the access `repositories`, each as `provider:owner/name`.',
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
      'x-form': '1 to 40 characters of a-z, 0-9 and -, not starting or ending with -',
      description: 'Its tools are named `<slug>__<tool>`. Derived from the name by default.',
    }),
  ),
  icon: Type.Optional(Text(2_000, { description: 'An emoji, or the URL of an image; "" for none.' })),
  description: Type.Optional(Text(2_000)),
  url: Type.Optional(
    Text(2_000, {
      description: 'http or https, for streamable HTTP or SSE, without credentials. Exactly one of url and command.',
    }),
  ),
  command: Type.Optional(
    Text(1_000, {
      description:
        "A program that speaks MCP over stdio; it runs only inside a session's sandbox. Exactly one of url and command.",
    }),
  ),
  args: Type.Optional(Type.Array(Text(4_000), { maxItems: 100 })),
  env: Type.Optional(texts(100, 'Variables of a command. A value can contain `${NAME}`, a placeholder for a secret.')),
  headers: Type.Optional(
    texts(50, 'Headers of every request to a URL. A value can contain `${NAME}`, a placeholder for a secret.'),
  ),
  access: Type.Optional(
    OneOf(accesses, {
      description:
        '`organization`: every session gets it. `repositories`: sessions on one of `repos`. ' +
        '`on_request`: sessions that name it in `mcp_server_ids`.',
    }),
  ),
  repos: Type.Optional(
    Type.Array(
      Text(220, { minLength: 3, description: `\`owner/name\`, optionally with the prefix ${prefixesText('`')}.` }),
      {
        maxItems: 100,
        uniqueItems: true,
      },
    ),
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
  search: Type.Optional(Text(200, { minLength: 1, description: 'Part of the name, the slug or the description.' })),
});
export type McpServerQuery = Static<typeof McpServerQuery>;

/** The name of a server's secret, as in `${…}`. */
export const SecretName = Text(128, {
  pattern: '^[A-Za-z_][A-Za-z0-9_]{0,127}$',
  'x-form': 'a name of letters, digits and _, not starting with a digit',
});
export const SetMcpServerSecret = Body({
  value: Text(maxSecretBytes, { minLength: 1, description: 'At most 16 KiB in UTF-8. Write-only.' }),
});

const tool = { name: Type.String(), description: Type.String() };

export const McpServerTest = named(
  'McpServerTest',
  Type.Object({
    ok: Type.Boolean(),
    latency_ms: Type.Integer({
      minimum: 0,
      description: 'Time until it introduced itself, or until the test gave up.',
    }),
    server: Type.Object({ name: Type.String(), version: Type.String(), protocol_version: Type.String() }),
    tools_count: Type.Integer({ minimum: 0 }),
    tools: Type.Array(Type.Object(tool)),
    problem: Type.String({ description: 'Why it is unusable; "" if it is usable.' }),
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
  slug: 'Its tools are named `<slug>__<tool>`.',
  icon: 'An emoji, or the URL of an image; "" for none.',
  source: 'Origin: `custom` was created here.',
  args: 'Arguments of the command.',
  env: 'Variables of the command. `${NAME}` is a placeholder for a secret.',
  headers: 'Headers of every request to the URL. `${NAME}` is a placeholder for a secret.',
  access:
    '`organization`: every session gets it. `repositories`: sessions on one of `repos`. `on_request`: ' +
    'sessions that name it in `mcp_server_ids`.',
});
explain(['CreateMcpServerRequest', 'UpdateMcpServerRequest'], {
  args: 'Arguments of the command, at most 100.',
  repos: 'The repositories that it applies to with the access `repositories`.',
});
explain('McpServerTest', {
  ok: 'True if it is usable.',
  server: 'What it declares about itself; "" for nothing.',
  'server.version': "The server's version.",
  'server.name': "The server's name.",
  'server.protocol_version': 'The MCP version that it speaks, a date.',
  tools_count: 'Number of its tools.',
  tools: 'Its tools.',
  'tools.name': "The tool's name on the server.",
  'tools.description': "The server's description of the tool.",
});
explain('McpServerTools', {
  items: 'All of its tools.',
  'items.name': "The tool's name on the server.",
  'items.description': "The server's description of the tool.",
  'items.input_schema': 'The JSON Schema of its input, from the server.',
});
explain(['CreateMcpServerRequest'], { enabled: 'True if sessions get it.' });
defaults('CreateMcpServerRequest', {
  icon: '',
  description: '',
  args: [],
  env: {},
  headers: {},
  access: 'organization',
  repos: [],
  enabled: true,
});
