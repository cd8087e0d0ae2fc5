import { apiOf, unwrap, type Schemas } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { listOptions, type ListPage, type PageQuery } from '../../lib/list.ts';

export type Key = Schemas['PersonalKey'];
export type IssuedKey = Schemas['IssuedPersonalKey'];
export type NewKey = Schemas['CreateAppKeyRequest'];

/** Whose keys they are, and what can be done with them. */
export interface KeyOwner {
  org: string;
  /** Tells owners apart: `self`, or an id. */
  id: string;
  /** The scope that changing its keys takes; undefined: everyone may. */
  scope?: string;
  list: (page: PageQuery, signal: AbortSignal) => Promise<ListPage<Key>>;
  create: (key: NewKey) => Promise<IssuedKey>;
  revoke: (keyId: string) => Promise<unknown>;
  /** Missing where keys cannot be rotated. */
  rotate?: (keyId: string, overlapSeconds: number) => Promise<IssuedKey>;
}

export function keysQuery({ org, id, list }: KeyOwner) {
  return listOptions<Key>(keys.list(org, 'keys', { owner: id }), list);
}

export function ownKeys(org: string): KeyOwner {
  const path = '/v3/self/keys';
  const client = apiOf(org);
  return {
    org,
    id: 'self',
    list: (query, signal) => unwrap(client.GET(path, { params: { query }, signal })),
    create: (body) => unwrap(client.POST(path, { body })),
    revoke: (keyId) => unwrap(client.DELETE(`${path}/{keyId}`, { params: { path: { keyId } } })),
    rotate: (keyId, overlap) =>
      unwrap(
        client.POST(`${path}/{keyId}/rotate`, { params: { path: { keyId } }, body: { overlap_seconds: overlap } }),
      ),
  };
}

export function serviceUserKeys(org: string, id: string): KeyOwner {
  const path = '/v3/organizations/{orgId}/service-users/{id}/keys';
  const client = apiOf(org);
  return {
    org,
    id,
    scope: 'org:write',
    list: (query, signal) => unwrap(client.GET(path, { params: { path: { id }, query }, signal })),
    create: (body) => unwrap(client.POST(path, { params: { path: { id } }, body })),
    revoke: (keyId) => unwrap(client.DELETE(`${path}/{keyId}`, { params: { path: { id, keyId } } })),
    rotate: (keyId, overlap) =>
      unwrap(
        client.POST(`${path}/{keyId}/rotate`, { params: { path: { id, keyId } }, body: { overlap_seconds: overlap } }),
      ),
  };
}

export function appKeys(org: string, id: string): KeyOwner {
  const path = '/apps/{app_id}/keys';
  const client = apiOf(org);
  return {
    org,
    id,
    scope: 'org:write',
    list: (query, signal) => unwrap(client.GET(path, { params: { path: { app_id: id }, query }, signal })),
    create: (body) => unwrap(client.POST(path, { params: { path: { app_id: id } }, body })),
    revoke: (keyId) => unwrap(client.DELETE(`${path}/{key_id}`, { params: { path: { app_id: id, key_id: keyId } } })),
  };
}
