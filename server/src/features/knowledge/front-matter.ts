import type { NoteContent } from './note-rules.ts';
import { contentOf } from './service.ts';
import { maxNameLength, maxTriggerLength, scopes, type NoteScope } from './schemas.ts';

/** A note as a Markdown file. */
export interface NoteFile {
  /** The note that the file was exported from; `''` if it names none. */
  readonly noteId: string;
  readonly content: NoteContent;
}

/** Thrown for a file that is not a note; the message gives the reason. */
export class NotANote extends Error {}

/**
 * Formats a note as Markdown: front matter in YAML between two lines `---`, an empty line, the unchanged body, and a line break
 * that {@link readNoteFile} strips.
 */
export function writeNoteFile({ noteId, content }: NoteFile): string {
  const { name, trigger, scope, repo_filter, enabled, body } = content;
  const lines = [
    `note_id: ${noteId}`,
    `name: ${quoted(name)}`,
    `trigger: ${quoted(trigger)}`,
    `scope: ${scope}`,
    `repo_filter: ${quoted(repo_filter)}`,
    `enabled: ${enabled}`,
  ];
  return `---\n${lines.join('\n')}\n---\n\n${body}\n`;
}

/** Quotes text as JSON, which is valid YAML; also escapes what YAML treats as a line break or only allows escaped. */
function quoted(text: string): string {
  const escape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(text).replaceAll(/[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g, escape);
}

/** Parses the output of {@link writeNoteFile} and handwritten notes. Throws {@link NotANote}. */
export async function readNoteFile(bytes: Uint8Array): Promise<NoteFile> {
  const text = decoded(bytes);
  const opening = /^---[ \t]*(\r?\n)/.exec(text);
  if (opening === null) throw new NotANote('The file must start with front matter: a line ---, YAML, and a line ---.');
  const [line, newline = '\n'] = opening;
  const closing = /^---[ \t]*(?:\r?\n|$)/m;
  const rest = text.slice(line.length);
  const end = closing.exec(rest);
  if (end === null) throw new NotANote('The front matter is not closed. Add a line --- after it.');
  const fields = await fieldsOf(rest.slice(0, end.index));
  const body = rest.slice(end.index + end[0].length);
  const content = contentOf({
    name: required(fields, 'name', maxNameLength),
    trigger: required(fields, 'trigger', maxTriggerLength),
    body: storable('body', without(newline, body)),
    scope: scopeOf(fields.get('scope')),
    repo_filter: textOf(fields, 'repo_filter', 4_000) ?? '',
    enabled: flagOf(fields.get('enabled')),
  });
  return { noteId: textOf(fields, 'note_id', 64) ?? '', content };
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new NotANote('The file must be UTF-8 text.');
  }
}

/** Strips the empty line before the body and the line break after it. */
function without(newline: string, body: string): string {
  const begin = body.startsWith(newline) ? newline.length : 0;
  const end = body.length - (body.endsWith(newline) && body.length > begin ? newline.length : 0);
  return body.slice(begin, Math.max(begin, end));
}

/** Larger than the longest fields with every character escaped. */
const maxFrontMatter = 32_768;

async function fieldsOf(yaml: string): Promise<Map<string, unknown>> {
  if (yaml.length > maxFrontMatter)
    throw new NotANote(`Limit exceeded: the front matter can have at most ${maxFrontMatter} characters.`);
  // Loaded lazily: most processes never read one.
  const { parseForeignYaml, repeatedKey } = await import('../../lib/yaml.ts');
  let value: unknown;
  try {
    const document = parseForeignYaml(yaml, { schema: 'core' });
    const [problem] = document.errors;
    if (problem !== undefined) throw problem;
    if (repeatedKey(document.contents) !== undefined) throw new Error('Map keys must be unique.');
    value = document.toJS({ maxAliasCount: 10 });
  } catch (error) {
    const [why = ''] = (error instanceof Error ? error.message : String(error)).split('\n', 1);
    throw new NotANote(`The front matter must be valid YAML: ${why}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new NotANote('The front matter has no fields. Add name: and trigger:.');
  return new Map(Object.entries(value));
}

function required(fields: ReadonlyMap<string, unknown>, name: string, maxLength: number): string {
  const text = textOf(fields, name, maxLength);
  if (text === undefined) throw new NotANote(`The front matter must have the field ${name}.`);
  return text;
}

function textOf(fields: ReadonlyMap<string, unknown>, name: string, maxLength: number): string | undefined {
  const value = fields.get(name) ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value !== 'string') throw new NotANote(`The field ${name} must be text. Put it in quotation marks.`);
  const length = Array.from(value).length;
  if (length > maxLength)
    throw new NotANote(`The field ${name} must have at most ${maxLength} characters, and has ${length}.`);
  return storable(name, value);
}

function storable(name: string, text: string): string {
  if (text.includes('\u0000') || !text.isWellFormed())
    throw new NotANote(`The field ${name} must not contain U+0000 or lone surrogates.`);
  return text;
}

function scopeOf(value: unknown): NoteScope | undefined {
  if (value === undefined || value === null) return undefined;
  const scope = scopes.find((candidate) => candidate === value);
  if (scope === undefined) throw new NotANote(`The field scope must be one of ${scopes.join(', ')}.`);
  return scope;
}

function flagOf(value: unknown): boolean | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'boolean') throw new NotANote('The field enabled must be true or false.');
  return value;
}
