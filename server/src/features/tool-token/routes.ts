import type { Context } from '../../app/context.ts';
import { route, type Route } from '../../http/route.ts';
import { CreateToolToken, IssuedToolToken, RevokedToolToken, ToolToken } from './schemas.ts';
import { createToolToken, getToolToken, revokeToolToken } from './service.ts';
import * as examples from './examples.ts';

const path = '/session/mcp-token';

/** Unversioned; for users only. */
export function toolTokenRoutes(ctx: Pick<Context, 'db' | 'clock'>): Route[] {
  return [
    route({
      method: 'GET',
      path,
      id: 'getToolToken',
      summary: 'Get your MCP token',
      description:
        'Shows if you have one and when it expires; at most one per organization. The token itself is not shown ' +
        'again.',
      scope: 'any',
      persons: true,
      status: 200,
      answer: ToolToken,
      handle: ({ caller }) => getToolToken(ctx, caller),
    }),
    route({
      method: 'POST',
      path,
      id: 'createToolToken',
      summary: 'Create or replace your MCP token',
      description:
        'Replaces your current token. It is valid only for the MCP server at `/mcp`, with the scopes and ' +
        'addresses of the calling key, and expires with it at the latest.',
      scope: 'any',
      persons: true,
      body: CreateToolToken,
      examples: examples.createToolToken,
      status: 201,
      answer: IssuedToolToken,
      handle: ({ caller, body }) => createToolToken(ctx, caller, body),
    }),
    route({
      method: 'DELETE',
      path,
      id: 'revokeToolToken',
      summary: 'Revoke your MCP token',
      description: 'Takes effect at once, on every process. Harmless without one: `revoked` is false then.',
      scope: 'any',
      persons: true,
      status: 200,
      answer: RevokedToolToken,
      handle: ({ caller }) => revokeToolToken(ctx, caller),
    }),
  ];
}
