import { explanations } from './schema.ts';

/** What fields mean that mean the same wherever they stand; a schema may say more about its own. */
const fields: Record<string, string> = {
  id: 'Opaque, with a prefix that tells the kind; sorts by the time of creation.',
  created_at: 'When it was created.',
  updated_at: 'When it was changed last.',
  created_by: 'Who created it.',
  expires_at: 'When it ends by itself; null where it does not.',
  revoked_at: 'When it was revoked; null while it works.',
  last_used_at: 'When it was used last, to the minute; null before the first use.',
  items: 'Those of this page.',
  has_next_page: 'Whether there are more behind `end_cursor`.',
  name: 'For people.',
  description: 'For people; "" when there is none.',
  title: 'For people.',
  slug: 'Stands for the id in paths; lower-case letters, digits and hyphens.',
  email: 'An e-mail address; compared without case.',
  provider: 'The git host: `local` is the built-in one.',
  repo: '`owner/name`, as the git host writes it.',
  enabled: 'Whether it has any effect.',
  revision: 'Counts changes, from 1; send it as `If-Match` to change this one and no later one.',
  version: 'Counts changes, from 1.',
  scopes: 'What a key may do.',
  ip_ranges: 'CIDR ranges that the key works from; empty for everywhere.',
  prefix: 'What the key begins with.',
  last4: "The key's last four characters.",
  size_bytes: 'Size in bytes.',
  sha256: 'SHA-256 of the bytes, in hexadecimal.',
  content_type: 'Media type.',
  cost_usd: 'US dollars, by the price table that applies.',
  input_tokens: 'Tokens that models read, cached ones included.',
  output_tokens: 'Tokens that models wrote.',
  cached_input_tokens: 'Those of `input_tokens` that came from a cache.',
  additions: 'Lines added.',
  deletions: 'Lines deleted.',
  session_id: 'The session it belongs to.',
  agent_id: 'The agent.',
  user_id: 'The person.',
  user_ids: 'The persons.',
  organization_id: 'The organization.',
  message: 'What happened, and what to do about it, in words.',
  request_id: "Names the request in the server's log; also the header `x-request-id`.",
  sessionId: 'The browser session: `brs_…`.',
  attachment_ids: 'Files of the organization that are put beside the repositories.',
  timezone: 'IANA time zone, such as `Europe/Berlin`.',
  verify_command: 'The shell command that decides whether a task is done: exit code 0 is yes. "" where none is set.',
  setup_command:
    "The shell command that installs dependencies; it runs once for each set of lockfiles in the default branch's history, and for any other commit anew.",
  default_branch: 'The branch that sessions start from unless told otherwise.',
  allowed_hosts: 'Host names; `*.example.com` covers the names below it.',
  permission: 'What the person may do: `admin` all, `viewer` reads only, `member` what lies between.',
  system_prompt: 'Added to what the agent is told.',
  temperature: "0 to 2; null is the model's own default.",
  max_tokens: "The most tokens of one answer; null is the model's own limit.",
  digest: 'SHA-256 of the content, in hexadecimal.',
  metadata: 'Your own keys and values; passed through as they are.',
  tags: 'Labels to find it by.',
  max_cost_usd:
    'US dollars; checked before each model call, as the other limits are. Reaching it suspends the session.',
  max_minutes: 'Minutes of work in its sandbox.',
  max_turns: 'Turns, the first one included.',
  seq: 'Its number in the log of the session, from 1 without gaps.',
  phase: 'The phase it happened in; "" outside of all.',
  turn: 'The turn it belongs to, from 1.',
  attempt_no: 'Counts the workers that took the session up, from 1; 0 before the first.',
  data: 'What happened; its fields depend on `kind`.',
  total: 'How many there are in all.',
  model: '`<provider>/<model>`.',
  note: 'For people; "" when there is none.',
  tokens: 'Tokens read and written.',
  sessions: 'Sessions begun.',
  sandbox_minutes: 'Minutes that sandboxes ran.',
  executable: 'Whether the file may be run.',
  role: '`pro` or `regular`: decides about models and limits.',
  password: 'At least 12 characters, and none of the common ones.',
  app_id: 'The application.',
  note_id: 'The knowledge note.',
  memory_id: 'The memory note.',
  note_ids: 'The knowledge notes.',
  url: 'Absolute address.',
  draft: 'Whether it is a draft, not yet ready for review.',
  license: 'As the bundle declares it.',
  file_count: 'How many files it has.',
  commit: 'A commit id.',
  number: 'Its number in the repository.',
  branch: 'The branch, without `refs/heads/`.',
  duration_ms: 'Milliseconds.',
  exit_code: 'Of the command; null while it runs. 128 + signal when it was killed, 124 after a timeout.',
  artifact_id: 'The artifact that holds the whole; null or "" where there is none.',
  command_id: 'The command; its output has the same.',
  call_id: 'The tool call behind it; "" where there is none.',
  code: 'What to decide by.',
  image: 'The image of its sandboxes, where the driver has images; "" where none is set.',
};

interface Parameter {
  name: string;
  in: string;
  description?: string;
  schema?: { description?: string };
}

/** Query parameters that mean the same everywhere. */
const parameters: Record<string, string> = {
  orgId: 'The organization: its id, or its slug.',
  search: 'A part of the name or title, without case.',
  created_after: 'Only what was created later, ISO 8601 with time zone.',
  created_before: 'Only what was created earlier, ISO 8601 with time zone.',
  force: 'Do it although something still depends on it.',
  session_id: 'The session.',
  after_seq: 'Only events behind this number.',
  number: 'Number of the change request in the repository.',
  revision: 'The revision.',
  provider: 'Name of the sign-in provider: `oidc`.',
  token: 'The token of the link.',
  status: 'One or several statuses, separated by commas.',
  status_detail: 'One or several details, separated by commas.',
  origin: 'Where it was created: one or several, separated by commas.',
  tag: 'One or several tags, separated by commas.',
  repo: '`owner/name`, or `provider:owner/name`; one or several, separated by commas.',
  created_by: 'Id of a person, service user, app or session.',
  automation_id: 'The automation that began it.',
  parent_session_id: 'The session that began it.',
  archived: '`false`, the default, leaves archived ones out; `true` answers only them, `any` both.',
  prompt: 'What a session would be asked.',
};

/** Gives a parameter a description unless it has one. `path` is the operation's, which tells what `{id}` is the id of. */
export function describeParameter(parameter: Parameter, path: string): void {
  if (parameter.description !== undefined || parameter.schema?.description !== undefined) return;
  const { name } = parameter;
  const description = parameters[name] ?? (parameter.in === 'path' ? ofPath(name, path) : undefined);
  if (description !== undefined) parameter.description = description;
}

/** `{id}` in `/sessions/{id}` is the id of the session. */
function ofPath(name: string, path: string): string | undefined {
  const before = path.split('/').at(path.split('/').indexOf(`{${name}}`) - 1);
  if (before === undefined) return undefined;
  const one = before.replace(/ies$/, 'y').replace(/s$/, '').replaceAll('-', ' ');
  return /id$/i.test(name) ? `Id of the ${one}.` : `The ${one}: its ${name}.`;
}

/**
 * A copy of the components in which every field has a description that {@link explain} or {@link fields} has one for. A
 * field of a field is explained by its path, `repositories.ref`.
 */
export function describeComponents(schemas: object): object {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, describeFields(schema, explanations.get(name))]),
  );
}

function describeFields(schema: unknown, own?: Readonly<Record<string, string>>): unknown {
  if (Array.isArray(schema)) return schema.map((item) => describeFields(item, own));
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      key === 'properties' ? describeAll(value, own) : describeFields(value, own),
    ]),
  );
}

function describeAll(properties: object, own: Readonly<Record<string, string>> = {}): object {
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => {
      const property = Object(describeFields(value, within(own, name)));
      const description = own[name] ?? fields[name];
      const isSilent = property.description === undefined;
      return [name, isSilent && description !== undefined ? { description, ...property } : property];
    }),
  );
}

/** What `own` says of the fields of one of its fields. */
function within(own: Readonly<Record<string, string>>, name: string): Record<string, string> {
  const begin = `${name}.`;
  return Object.fromEntries(
    Object.entries(own).flatMap(([path, text]) => (path.startsWith(begin) ? [[path.slice(begin.length), text]] : [])),
  );
}
