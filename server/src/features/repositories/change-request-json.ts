import type { Actor } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import type { ChangeRequestRow } from './change-request-store.ts';
import { changeRequestUrl } from './open-change-request.ts';

/** Returns a row in its API shape. */
export function toApiShape(
  ctx: Pick<Context, 'baseUrl'>,
  { organization }: Pick<Actor, 'organization'>,
  row: ChangeRequestRow,
  mergeable: boolean,
) {
  const { author_type, author_id, repository_id: _repository, provider_updated_at: _said, ...rest } = row;
  return {
    ...rest,
    author: { type: author_type, id: author_id },
    mergeable: row.state === 'open' && mergeable,
    url: changeRequestUrl(ctx, organization.slug, row),
  };
}
