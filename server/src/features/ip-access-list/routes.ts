import { Type } from 'typebox';
import type { Context } from '../../app/context.ts';
import { route, type Route } from '../../http/route.ts';
import { Id, Text } from '../../http/schema.ts';
import { AddIpAccessEntry, IpAccessCheck, IpAccessEntry, IpAccessList, ReplaceIpAccessList } from './schemas.ts';
import {
  addIpAccessEntry,
  checkIpAccess,
  getIpAccessList,
  removeIpAccessEntry,
  replaceIpAccessList,
} from './service.ts';
import * as examples from './examples.ts';

export function ipAccessListRoutes(ctx: Pick<Context, 'db' | 'clock'>): Route[] {
  return [
    route({
      method: 'GET',
      path: '/ip-access-list',
      id: 'getIpAccessList',
      summary: 'Get the IP access list',
      description: 'In the order of the last replacement; entries added later come last.',
      scope: 'org:read',
      status: 200,
      answer: IpAccessList,
      handle: ({ caller }) => getIpAccessList(ctx, caller),
    }),
    route({
      method: 'PUT',
      path: '/ip-access-list',
      id: 'replaceIpAccessList',
      summary: 'Replace the IP access list',
      description:
        'While the list is enabled, keys of the organization are denied with 403 `ip_not_allowed` from any other ' +
        'address. Existing entries keep their ids. Rejects two entries with the same canonical form, and a list ' +
        'that would lock out your own address (409 `would_lock_out`) unless `force` is true.',
      scope: 'org:write',
      body: ReplaceIpAccessList,
      examples: examples.replaceIpAccessList,
      status: 200,
      answer: IpAccessList,
      errors: [409],
      handle: ({ caller, body }) => replaceIpAccessList(ctx, caller, body),
    }),
    route({
      method: 'POST',
      path: '/ip-access-list/entries',
      id: 'addIpAccessEntry',
      summary: 'Add an IP access list entry',
      description:
        'Adds it at the end of the list. 409 `conflict` if the list already has that range in any form, or has ' +
        '200 entries.',
      scope: 'org:write',
      body: AddIpAccessEntry,
      examples: examples.addIpAccessEntry,
      status: 201,
      answer: IpAccessEntry,
      handle: ({ caller, body }) => addIpAccessEntry(ctx, caller, body),
    }),
    route({
      method: 'DELETE',
      path: '/ip-access-list/entries/:id',
      id: 'removeIpAccessEntry',
      summary: 'Remove an IP access list entry',
      description: "409 `would_lock_out` if that would lock out your own address. `If-Match` takes the list's `ETag`.",
      scope: 'org:write',
      params: { id: Id },
      status: 204,
      answer: Type.Null(),
      record: IpAccessList,
      errors: [409],
      handle: ({ caller, params }) => removeIpAccessEntry(ctx, caller, params.id),
    }),
    route({
      method: 'GET',
      path: '/ip-access-list/check',
      id: 'checkIpAccess',
      summary: 'Check an address against the IP access list',
      description:
        'Read-only. Checks the address of the request unless `ip` names another. 400 for an invalid address; while ' +
        'the list is disabled every address is allowed.',
      scope: 'org:read',
      query: Type.Object(
        { ip: Type.Optional(Text(64, { description: 'IPv4 or IPv6; by default the address of the request.' })) },
        { additionalProperties: false },
      ),
      status: 200,
      answer: IpAccessCheck,
      handle: ({ caller, query }) => checkIpAccess(ctx, caller, query.ip),
    }),
  ];
}
