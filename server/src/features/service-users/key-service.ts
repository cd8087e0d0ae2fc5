import type { Actor, AuthenticatedCaller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { filterValues } from '../../lib/filters.ts';
import type { PageQuery } from '../../lib/paging.ts';
import { keyStatuses, type CreateKey, type RevokeQuery } from '../keys/schemas.ts';
import { checkNewKey, createKey, listKeys, revokeKey, rotateKey } from '../keys/service.ts';
import { enabledServiceUserKeys, serviceUserKeys } from './service.ts';

type KeyContext = Pick<Context, 'db' | 'clock'>;

export async function listServiceUserKeys(
  ctx: KeyContext,
  caller: Actor,
  id: string,
  query: PageQuery & { status?: string },
) {
  // Validates the request before looking up the service user.
  filterValues('status', query.status, keyStatuses);
  return listKeys(ctx, await serviceUserKeys(ctx, caller, id), query);
}

export async function createServiceUserKey(ctx: KeyContext, caller: AuthenticatedCaller, id: string, input: CreateKey) {
  // Validates the request before looking up the service user.
  checkNewKey(ctx, caller, input);
  return createKey(ctx, caller, await enabledServiceUserKeys(ctx, caller, id), input);
}

export async function revokeServiceUserKey(
  ctx: KeyContext,
  caller: AuthenticatedCaller,
  id: string,
  keyId: string,
  query: RevokeQuery,
) {
  return revokeKey(ctx, caller, await serviceUserKeys(ctx, caller, id), keyId, query);
}

export async function rotateServiceUserKey(
  ctx: KeyContext,
  caller: AuthenticatedCaller,
  id: string,
  keyId: string,
  overlapSeconds: number,
) {
  return rotateKey(ctx, caller, await enabledServiceUserKeys(ctx, caller, id), keyId, overlapSeconds);
}
