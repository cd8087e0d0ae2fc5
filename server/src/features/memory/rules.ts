import { oneLine } from '../../lib/one-line.ts';
import { defaultTitle, maxContentBytes, maxTitleCharacters, type MemoryPlace } from './schemas.ts';
import { fieldError, invalidField } from '../../lib/field-error.ts';

/** Only GitLab has owners with slashes in them. */
function placeProblem({ repo, provider }: MemoryPlace): string {
  return provider === 'gitlab' || repo.split('/').length === 2
    ? ''
    : `is no owner/name, as a repository of ${provider}`;
}

/** Throws 400 `invalid_request` for a repository that its provider could not have. */
export function requirePlace(place: MemoryPlace): void {
  const problem = placeProblem(place);
  if (problem !== '') throw invalidField('/repo', problem);
}

/** The content as it is stored. Throws 400 `content_required`, 400 `content_too_large`. */
export function contentOf(sent: string): string {
  const content = sent.trim();
  if (content === '') throw fieldError('/content', 'has nothing but white space.', { code: 'content_required' });
  const bytes = Buffer.byteLength(content);
  if (bytes > maxContentBytes)
    throw fieldError('/content', `has ${bytes} bytes in UTF-8; a note has at most ${maxContentBytes}.`, {
      code: 'content_too_large',
    });
  return content;
}

/** The title as it is stored: its characters are Unicode code points. Throws 400 `title_too_long`. */
export function titleOf(sent: string | undefined): string {
  const title = oneLine(sent ?? '');
  if (title === '') return defaultTitle;
  const characters = Array.from(title).length;
  if (characters > maxTitleCharacters)
    throw fieldError('/title', `has ${characters} characters; a title has at most ${maxTitleCharacters}.`, {
      code: 'title_too_long',
    });
  return title;
}
