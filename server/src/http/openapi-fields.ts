import { defaultValues, explanations } from './schema.ts';

/** The descriptions of common fields; a schema may override them, and {@link explain} both. */
const fields: Record<string, string> = {
  id: 'Opaque id; its prefix names the kind. Ids sort by creation time.',
  created_at: 'Time of creation.',
  updated_at: 'Time of the last change.',
  created_by: 'The creator.',
  expires_at: 'Expiry time; null for none.',
  revoked_at: 'Time of revocation; null while it is valid.',
  last_used_at: 'Time of the last use, to the minute; null before the first use.',
  items: 'The items of this page.',
  has_next_page: 'True if there are more items after `end_cursor`.',
  name: 'A name for readers.',
  description: 'A description for people; "" when not set.',
  title: 'A title for readers.',
  slug: 'Replaces the id in paths; lower-case letters, digits and hyphens.',
  email: 'An e-mail address; case-insensitive.',
  provider: 'The git host: `local` is the built-in one.',
  repo: '`owner/name`, as the git host writes it.',
  enabled: 'True if it is in effect.',
  revision: 'Revision number, from 1; send it as `If-Match` to change exactly this revision.',
  version: 'Revision number, from 1.',
  scopes: 'The capabilities of a key.',
  ip_ranges: 'CIDR ranges from which the key may be used; empty for everywhere.',
  prefix: 'The beginning of the key.',
  last4: "The key's last four characters.",
  size_bytes: 'Size in bytes.',
  sha256: 'SHA-256 of the bytes, in hexadecimal.',
  content_type: 'Media type.',
  cost_usd: 'Cost in US dollars, by the applicable prices.',
  input_tokens: 'Tokens that models read, including cached ones.',
  output_tokens: 'Tokens that models wrote.',
  cached_input_tokens: 'The part of `input_tokens` that came from a cache.',
  additions: 'Lines added.',
  deletions: 'Lines deleted.',
  session_id: 'The session it belongs to.',
  agent_id: 'The agent.',
  user_id: 'The user.',
  user_ids: 'The users.',
  organization_id: 'The organization.',
  message: 'An explanation for people: what is wrong and what to do.',
  request_id: "Identifies the request in the server's log; also the header `x-request-id`.",
  sessionId: 'The browser session: `brs_…`.',
  attachment_ids: 'Attachments that are placed next to the repositories.',
  timezone: 'IANA time zone, such as `Europe/Berlin`.',
  verify_command: 'The shell command that checks a task: exit code 0 means done. "" when not set.',
  setup_command:
    "The shell command that installs dependencies. Runs once for each set of lockfiles in the default branch's history, and anew for any other commit.",
  default_branch: 'The branch that sessions start from by default.',
  allowed_hosts: 'Host names; `*.example.com` matches its subdomains.',
  permission: 'The permission: `admin` may do everything, `viewer` only reads, `member` is in between.',
  system_prompt: "Added to the agent's instructions.",
  temperature: "0 to 2; null is the model's own default.",
  max_tokens: "The maximum number of tokens of one response; null for the model's own limit.",
  digest: 'SHA-256 of the content, in hexadecimal.',
  metadata: 'Your own keys and values; returned unchanged.',
  tags: 'Labels for filters.',
  max_cost_usd:
    'A limit in US dollars, checked before each model call like the other limits. Reaching it suspends the session.',
  max_minutes: 'Minutes of work in the sandbox.',
  max_turns: 'Number of turns, including the first.',
  seq: 'Number of the event in the log of the session, from 1 without gaps.',
  phase: 'The phase; "" outside of phases.',
  turn: 'The turn it belongs to, from 1.',
  attempt_no: 'Counts the workers that claimed the session, from 1; 0 before the first.',
  data: 'What happened; its fields depend on `kind`.',
  total: 'The total number.',
  model: '`<provider>/<model>`.',
  note: 'A name for people; "" when not set.',
  tokens: 'Tokens read and written.',
  sessions: 'Sessions begun.',
  sandbox_minutes: 'Minutes of sandbox time.',
  executable: 'True if the file is executable.',
  role: '`pro` or `regular`: determines the available models and limits.',
  password: 'At least 12 characters; common passwords are rejected.',
  app_id: 'The application.',
  note_id: 'The knowledge note.',
  memory_id: 'The memory note.',
  note_ids: 'The knowledge notes.',
  url: 'Absolute address.',
  draft: 'True if it is a draft.',
  license: 'As declared in the bundle.',
  file_count: 'Number of files.',
  commit: 'A commit id.',
  number: 'Number in the repository.',
  branch: 'The branch, without `refs/heads/`.',
  duration_ms: 'Milliseconds.',
  exit_code: 'Exit code of the command; null while it runs. 128 + signal when it was killed, 124 after a timeout.',
  artifact_id: 'The artifact with the complete content; null or "" for none.',
  command_id: 'The id of the command; its output has the same.',
  call_id: 'The tool call that caused it; "" for none.',
  code: 'The code, for programs.',
  image: 'The sandbox image, if the driver supports images; "" when not set.',
};

interface Parameter {
  name: string;
  in: string;
  description?: string;
  schema?: { description?: string };
}

/** The descriptions of common query and path parameters. */
const parameters: Record<string, string> = {
  orgId: 'The organization: its id, or its slug.',
  search: 'A part of the name or title, case-insensitive.',
  created_after: 'Only items created after this time, ISO 8601 with time zone.',
  created_before: 'Only items created before this time, ISO 8601 with time zone.',
  force: 'Forces the operation although dependents exist.',
  session_id: 'The session.',
  after_seq: 'Only events after this number.',
  number: 'Number of the change request in the repository.',
  revision: 'The revision.',
  provider: 'Name of the sign-in provider: `oidc`.',
  token: 'The token of the link.',
  status: 'One or several statuses, separated by commas.',
  status_detail: 'One or several details, separated by commas.',
  origin: 'The origin: one or several, separated by commas.',
  tag: 'One or several tags, separated by commas.',
  repo: '`owner/name`, or `provider:owner/name`; one or several, separated by commas.',
  created_by: 'Id of a user, service user, app or session.',
  automation_id: 'The automation that started it.',
  automation_run_id: 'The run of an automation that it is an attempt of.',
  parent_session_id: 'The session that started it.',
  archived: '`false` (default) excludes archived ones, `true` returns only them, `any` returns both.',
  prompt: 'The prompt of a session.',
};

/** Describes a parameter unless it has a description. `path` is the operation's; it tells which resource `{id}` identifies. */
export function describeParameter(parameter: Parameter, path: string): void {
  if (parameter.description !== undefined || parameter.schema?.description !== undefined) return;
  const { name } = parameter;
  const description = parameters[name] ?? (parameter.in === 'path' ? ofPath(name, path) : undefined);
  if (description !== undefined) parameter.description = description;
}

/** Derives the description from the path: `{id}` in `/sessions/{id}` is the id of the session. */
function ofPath(name: string, path: string): string | undefined {
  const before = path.split('/').at(path.split('/').indexOf(`{${name}}`) - 1);
  if (before === undefined) return undefined;
  const one = before.replace(/ies$/, 'y').replace(/s$/, '').replaceAll('-', ' ');
  return /id$/i.test(name) ? `Id of the ${one}.` : `The ${one}: its ${name}.`;
}

/**
 * Copies the components and describes every field by {@link explain} or {@link fields}. A nested field has a path:
 * `repositories.ref`.
 */
export function describeComponents(schemas: object): object {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, describeFields(schema, factsOf(name))]),
  );
}

/** Descriptions and defaults of fields, by their path. */
type Facts = Readonly<Record<string, { description?: string; default?: unknown }>>;

function factsOf(component: string): Facts {
  const facts: Record<string, { description?: string; default?: unknown }> = {};
  for (const [path, description] of Object.entries(explanations.get(component) ?? {})) facts[path] = { description };
  for (const [path, value] of Object.entries(defaultValues.get(component) ?? {}))
    facts[path] = { ...facts[path], default: value };
  return facts;
}

function describeFields(schema: unknown, own: Facts): unknown {
  if (Array.isArray(schema)) return schema.map((item) => describeFields(item, own));
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      key === 'properties' ? describeAll(value, own) : describeFields(value, own),
    ]),
  );
}

function describeAll(properties: object, own: Facts): object {
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => {
      const property = Object(describeFields(value, within(own, name)));
      const described = 'description' in property ? property : { description: fields[name], ...property };
      return [name, { ...described, ...own[name] }];
    }),
  );
}

/** Returns the facts on a field's own fields. */
function within(own: Facts, name: string): Facts {
  const begin = `${name}.`;
  return Object.fromEntries(
    Object.entries(own).flatMap(([path, fact]) => (path.startsWith(begin) ? [[path.slice(begin.length), fact]] : [])),
  );
}
