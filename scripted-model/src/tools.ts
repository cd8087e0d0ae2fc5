import { list, object, objects, string, type JsonObject } from './json.ts';
import { TextError, type Tool } from './conversation.ts';

/** A call of a tool that the request offers. */
export interface MappedCall {
  /** `<script>_<step>_<n>`; each API adds its prefix. */
  mark: string;
  name: string;
  input: JsonObject;
}

interface Argument {
  /** The names of the argument in tools, lower case, the likeliest first. */
  keys: string[];
  value: unknown;
  optional?: boolean;
}

interface Wanted {
  name: RegExp;
  arguments: Argument[];
}

const path = ['path', 'file_path', 'filepath', 'file', 'filename', 'target_file'];

/** The names of tools for each action among agents, and of their arguments. */
const actions: Record<string, (value: unknown, call: JsonObject) => Wanted> = {
  run: (value, call) => ({
    name: /^(bash|shell|run|exec|terminal|(run|exec|execute|shell)_(shell_)?command|execute|local_shell)$/i,
    arguments: [
      { keys: ['command', 'cmd', 'script', 'code'], value },
      {
        keys: ['timeout', 'timeout_ms', 'timeoutms', 'timeout_seconds', 'timeoutseconds'],
        value: call['timeout'],
        optional: true,
      },
    ],
  }),
  write: (value) => ({
    name: /^(write|write_?file|create_?file|create)$/i,
    arguments: [
      { keys: path, value: object(value)['path'] },
      { keys: ['content', 'contents', 'text', 'file_text', 'data'], value: object(value)['content'] },
    ],
  }),
  read: (value) => ({
    name: /^(read|read_?file|view|view_?file|open_?file|cat)$/i,
    arguments: [{ keys: path, value }],
  }),
  edit: (value) => ({
    name: /^(edit|edit_?file|replace|str_?replace|replace_in_file|search_replace)$/i,
    arguments: [
      { keys: path, value: object(value)['path'] },
      {
        keys: ['old', 'old_string', 'oldstring', 'old_text', 'oldtext', 'old_str', 'search'],
        value: object(value)['old'],
      },
      {
        keys: ['new', 'new_string', 'newstring', 'new_text', 'newtext', 'new_str', 'replace'],
        value: object(value)['new'],
      },
    ],
  }),
  search: (value) => ({
    name: /^(grep|search|rg|ripgrep|grep_search|search_(files?|file_content|code|text)|find_in_files)$/i,
    arguments: [{ keys: ['pattern', 'query', 'regex', 'search', 'text'], value }],
  }),
  plan: (value) => ({
    name: /^(plan|(update|set|write)_plan|todo|todos|todo_?write|write_todos|update_todos)$/i,
    arguments: [{ keys: ['entries', 'plan', 'todos', 'items', 'steps', 'tasks'], value }],
  }),
  ask: (value) => ({
    name: /^(ask|ask_?user|ask_?(user_?)?question|question|request_(user_)?input)$/i,
    arguments: [{ keys: ['question', 'questions', 'message', 'prompt', 'text', 'query'], value }],
  }),
};

/** Converts an action to a call of the first offered tool that fits; throws {@link TextError} if none does. */
export function mapCall(call: JsonObject, tools: Tool[], mark: string): MappedCall {
  if ('call' in call) return verbatim(object(call['call']), tools, mark);
  for (const [action, wantedOf] of Object.entries(actions)) {
    if (!(action in call)) continue;
    const wanted = wantedOf(call[action], call);
    for (const tool of tools.filter(({ name }) => wanted.name.test(name))) {
      const input = fill(wanted.arguments, tool.schema);
      if (input !== undefined) return { mark, name: tool.name, input };
    }
    throw new TextError(`No tool to ${action} with is offered; there are: ${names(tools)}`);
  }
  throw new TextError(`The script has an unknown call: ${JSON.stringify(call)}`);
}

function verbatim(call: JsonObject, tools: Tool[], mark: string): MappedCall {
  const name = string(call['name']);
  // A model may name a tool that does not exist, which an agent must handle; but without any tool it cannot.
  if (tools.length === 0) throw new TextError(`No tool ${name} is offered; there are: none`);
  return { mark, name, input: object(call['input']) };
}

function names(tools: Tool[]): string {
  return tools.length === 0 ? 'none' : tools.map(({ name }) => name).join(', ');
}

/** Returns the arguments under the names in the schema, and placeholders for other required ones. */
function fill(wanted: Argument[], schema: JsonObject): JsonObject | undefined {
  const properties = object(schema['properties']);
  const input: JsonObject = {};
  for (const { keys, value, optional } of wanted) {
    if (value === undefined && optional) continue;
    const key = keys.flatMap((name) => Object.keys(properties).find((own) => own.toLowerCase() === name) ?? [])[0];
    if (key !== undefined) input[key] = shaped(value, object(properties[key]));
    else if (!optional) return undefined;
  }
  for (const key of list(schema['required']).map((name) => string(name))) {
    if (!(key in input)) input[key] = placeholder(object(properties[key]));
  }
  return input;
}

/**
 * Converts a value to the property's type: a command may be an argument vector, and a plan's entries have their own
 * names.
 */
function shaped(value: unknown, schema: JsonObject): unknown {
  const type = typeOf(schema);
  if (type === 'array' && typeof value === 'string') {
    const items = object(schema['items']);
    return typeOf(items) === 'object' ? [shapedEntry({ content: value }, items)] : ['bash', '-lc', value];
  }
  if (type === 'array' && Array.isArray(value)) {
    return objects(value).map((entry) => shapedEntry(entry, object(schema['items'])));
  }
  return value;
}

function shapedEntry(entry: JsonObject, schema: JsonObject): JsonObject {
  const keys = ['content', 'step', 'description', 'question', 'title', 'text', 'task'];
  const { content, status } = entry;
  const wanted = [
    { keys, value: content },
    { keys: ['status', 'state'], value: status, optional: true },
  ];
  return fill(wanted, schema) ?? entry;
}

function placeholder(schema: JsonObject): unknown {
  const first = list(schema['enum'])[0];
  if (first !== undefined) return first;
  switch (typeOf(schema)) {
    case 'string':
      return 'scripted';
    case 'boolean':
      return false;
    case 'number':
    case 'integer':
      return schema['minimum'] ?? 0;
    case 'array':
      return [];
    case 'object':
      return {};
    default:
      return null;
  }
}

/**
 * Returns the type in a schema. Gemini writes types in capitals; a strict schema marks an optional property by a union
 * with null.
 */
function typeOf(schema: JsonObject): string {
  const type = schema['type'];
  if (Array.isArray(type)) return type.includes('null') ? 'null' : string(type[0]);
  return string(type).toLowerCase();
}
