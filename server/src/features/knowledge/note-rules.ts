import type { Actor } from '../../caller.ts';
import { maxBodyBytes, type NoteScope } from './schemas.ts';
import { isBlank } from '../../lib/one-line.ts';
import { prefixesText, providerPrefix } from '../../lib/providers.ts';
import { fieldError } from '../../lib/field-error.ts';

/** The fields of a note that its author writes. */
export interface NoteContent {
  readonly name: string;
  readonly trigger: string;
  readonly body: string;
  readonly scope: NoteScope;
  readonly repo_filter: string;
  readonly enabled: boolean;
}

const fields = ['name', 'trigger', 'body', 'scope', 'repo_filter', 'enabled'] as const;

/** Returns the fields in which two notes differ. */
export function differences(one: NoteContent, other: NoteContent): string[] {
  return fields.filter((field) => one[field] !== other[field]);
}

const maxGlobs = 100;
const glob = new RegExp(String.raw`^(?:${providerPrefix})?[A-Za-z0-9*._-]{1,100}(?:/[A-Za-z0-9*._-]{1,100})+$`);

/** A problem with a note's content that its schema cannot express; `path` is the field's. */
export interface ContentProblem {
  readonly path: string;
  readonly message: string;
}

type SomeContent = { readonly [Field in keyof NoteContent]?: NoteContent[Field] | undefined };

/** Returns the first problem of a note's content, or of a part of it; undefined if it is valid. */
export function contentProblem(content: SomeContent, caller: Pick<Actor, 'principal'>): ContentProblem | undefined {
  for (const field of ['name', 'trigger', 'body'] as const) {
    const text = content[field];
    if (text !== undefined && isBlank(text)) return { path: `/${field}`, message: 'must not be blank' };
  }
  const bytes = Buffer.byteLength(content.body ?? '');
  if (bytes > maxBodyBytes)
    return { path: '/body', message: `must have at most ${maxBodyBytes} bytes in UTF-8, and has ${bytes}` };
  if (content.scope === 'user' && caller.principal.type !== 'user')
    return {
      path: '/scope',
      message:
        'cannot be "user" with the key of a service user or app. Notes of that scope belong to a user: use one of ' +
        "the user's keys.",
    };
  return filterProblem(content.repo_filter?.trim() ?? '');
}

function filterProblem(filter: string): ContentProblem | undefined {
  if (filter === '') return undefined;
  const path = '/repo_filter';
  const globs = filter.split(',').map((item) => item.trim());
  if (globs.length > maxGlobs) return { path, message: `must have at most ${maxGlobs} globs, and has ${globs.length}` };
  if (globs.includes('')) return { path, message: 'must not contain an empty glob. Write one between any two commas.' };
  const wrong = globs.find((item) => !glob.test(item));
  if (wrong === undefined) return undefined;
  const expected = `owner/name or owner/*, optionally with the prefix ${prefixesText()}`;
  return { path, message: `${JSON.stringify(wrong.slice(0, 200))} must be a glob of repositories: ${expected}` };
}

/** Throws 400 `invalid_request` for content that cannot be kept. */
export function requireContent(content: SomeContent, caller: Pick<Actor, 'principal'>): void {
  const problem = contentProblem(content, caller);
  if (problem !== undefined) throw fieldError(problem.path, problem.message);
}
