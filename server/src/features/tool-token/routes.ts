import type { Context } from '../../app/context.ts';
import { route, type Route } from '../../http/route.ts';
import { CreateToolToken, IssuedToolToken, RevokedToolToken, ToolToken } from './schemas.ts';
import { createToolToken, getToolToken, revokeToolToken } from './service.ts';
import * as examples from './examples.ts';

const path = '/session/mcp-token';

/** Unversioned, and for persons alone. */
export function toolTokenRoutes(ctx: Pick<Context, 'db' | 'clock'>): Route[] {
  return [
    route({
      method: 'GET',
      path,
      id: 'getToolToken',
      summary: 'Get your MCP token',
      description: 'There is at most one for you in each organization. The token itself is not shown again.',
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
        'It opens the MCP server at `/mcp` and nothing else, with what the key may do that asks for it, from where that works and no longer than that.',
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
      description: 'At once, on every process. Harmless without one: `revoked` is false then.',
      scope: 'any',
      persons: true,
      status: 200,
      answer: RevokedToolToken,
      handle: ({ caller }) => revokeToolToken(ctx, caller),
    }),
  ];
}
