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
  const { provider_updated_at: _said, ...rest } = row;
  return {
    ...rest,
    mergeable: row.state === 'open' && mergeable,
    url: changeRequestUrl(ctx, organization.slug, row),
  };
}
