import { oneLine } from '../../lib/one-line.ts';
import { allowsDeepOwner } from '../../lib/providers.ts';
import { defaultTitle, maxContentBytes, maxTitleCharacters, type MemoryPlace } from './schemas.ts';
import { fieldError } from '../../lib/field-error.ts';

function placeProblem({ repo, provider }: MemoryPlace): string {
  return allowsDeepOwner(provider) || repo.split('/').length === 2
    ? ''
    : `must have the form owner/name for a repository of ${provider}`;
}

/** Throws 400 `invalid_request` for a repository name that is invalid for its provider. */
export function requirePlace(place: MemoryPlace): void {
  const problem = placeProblem(place);
  if (problem !== '') throw fieldError('/repo', problem);
}

/** Returns the content as stored. Throws 400 `content_required`, 400 `content_too_large`. */
export function contentOf(sent: string): string {
  const content = sent.trim();
  if (content === '') throw fieldError('/content', 'must not be blank.', { code: 'content_required' });
  const bytes = Buffer.byteLength(content);
  if (bytes > maxContentBytes)
    throw fieldError('/content', `can have at most ${maxContentBytes} bytes in UTF-8, and has ${bytes}.`, {
      code: 'content_too_large',
    });
  return content;
}

/** Returns the title as stored; counts Unicode code points. Throws 400 `title_too_long`. */
export function titleOf(sent: string | undefined): string {
  const title = oneLine(sent ?? '');
  if (title === '') return defaultTitle;
  const characters = Array.from(title).length;
  if (characters > maxTitleCharacters)
    throw fieldError('/title', `can have at most ${maxTitleCharacters} characters, and has ${characters}.`, {
      code: 'title_too_long',
    });
  return title;
}
