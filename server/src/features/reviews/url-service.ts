import type { Actor } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { fieldError } from '../../lib/field-error.ts';
import { trimEndOf } from '../../lib/trim.ts';
import type { ChangeRequestRow } from '../repositories/public.ts';
import { requireChangeRequest } from '../repositories/change-request-service.ts';
import { readChangeRequestPlace } from './url-store.ts';

/** The end of an address of this installation: of its console, or of its API. */
const ownAddress = /(?:repositories|change-requests)\/(repo_[0-9a-z]{1,40})\/(?:change-requests\/)?(\d{1,10})$/;

/** A page of a change request, such as its files, commits or diffs. */
const partOf = /\/[a-z]+$/;

/** Returns the change request with an address. Throws 400 `invalid_request`, 404 `change_request_not_found`. */
export async function changeRequestAt(
  ctx: Pick<Context, 'db' | 'baseUrl'>,
  { id: orgId }: Actor['organization'],
  text: string,
): Promise<ChangeRequestRow> {
  const url = URL.parse(text);
  if (url === null) throw fieldError('/url', 'must be the address of a change request.');
  const address = `${url.origin}${trimEndOf(url.pathname, '/')}`;
  const find = async (page: string) =>
    page.startsWith(`${ctx.baseUrl()}/`) ? placeIn(page) : readChangeRequestPlace(ctx.db.kysely, orgId, page);
  const place = (await find(address)) ?? (await find(address.replace(partOf, '')));
  if (place === undefined)
    throw fieldError('/url', 'is not the address of a change request that this organization knows.');
  return requireChangeRequest(ctx, orgId, place.repositoryId, place.number);
}

function placeIn(address: string): { repositoryId: string; number: number } | undefined {
  const [, repositoryId, number] = ownAddress.exec(address) ?? [];
  return repositoryId === undefined || Number(number) > 2_147_483_647
    ? undefined
    : { repositoryId, number: Number(number) };
}
