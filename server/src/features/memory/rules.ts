import { invalidField, InvalidRequest } from '../../http/problems.ts';
import { AppError } from '../../lib/errors.ts';
import { oneLine } from '../../lib/one-line.ts';
import { defaultTitle, maxContentBytes, maxTitleCharacters, type MemoryPlace } from './schemas.ts';

/** Only GitLab has owners with slashes in them. */
function placeProblem({ repo, provider }: MemoryPlace): string {
  return provider === 'gitlab' || repo.split('/').length === 2
    ? ''
    : `is no owner/name, as a repository of ${provider}`;
}

/** Throws 400 `invalid_request` for a repository that its provider could not have. */
export function requirePlaceInBody(place: MemoryPlace): void {
  const problem = placeProblem(place);
  if (problem !== '') throw invalidField('/repo', problem);
}

export function requirePlaceInQuery(place: MemoryPlace): void {
  const message = placeProblem(place);
  if (message !== '')
    throw new InvalidRequest([{ where: 'query', path: '/repo', keyword: 'value', params: {}, message }]);
}

/** The content as it is stored. Throws 400 `content_required`, 400 `content_too_large`. */
export function contentOf(sent: string): string {
  const content = sent.trim();
  if (content === '') throw new AppError('content_required', 'body.content has nothing but white space.');
  const bytes = Buffer.byteLength(content);
  if (bytes > maxContentBytes)
    throw new AppError(
      'content_too_large',
      `body.content has ${bytes} bytes in UTF-8; a note has at most ${maxContentBytes}.`,
    );
  return content;
}

/** The title as it is stored: its characters are Unicode code points. Throws 400 `title_too_long`. */
export function titleOf(sent: string | undefined): string {
  const title = oneLine(sent ?? '');
  if (title === '') return defaultTitle;
  const characters = Array.from(title).length;
  if (characters > maxTitleCharacters)
    throw new AppError(
      'title_too_long',
      `body.title has ${characters} characters; a title has at most ${maxTitleCharacters}.`,
    );
  return title;
}
