import { Type } from 'typebox';
import type { Context } from '../../app/context.ts';
import { route, type Route } from '../../http/route.ts';
import { Id, List } from '../../http/schema.ts';
import {
  createMcpServer,
  deleteMcpServer,
  deleteMcpServerSecret,
  getMcpServer,
  listMcpServers,
  setMcpServerSecret,
  updateMcpServer,
  type McpServerContext,
} from './service.ts';
import {
  CreateMcpServer,
  McpServer,
  McpServerDetail,
  McpServerQuery,
  McpServerTest,
  McpServerTools,
  SecretName,
  SetMcpServerSecret,
  UpdateMcpServer,
} from './schemas.ts';
import { listMcpServerTools, testMcpServer } from './probe-service.ts';
import * as examples from './examples.ts';

export function mcpServerRoutes(ctx: McpServerContext & Pick<Context, 'workerCalls'>): Route[] {
  return [
    route({
      method: 'GET',
      path: '/mcp-servers',
      id: 'listMcpServers',
      summary: 'List MCP servers',
      description: 'Newest first. Of secrets the names alone.',
      scope: 'plugins:read',
      query: McpServerQuery,
      status: 200,
      answer: List(McpServer),
      handle: ({ caller, query }) => listMcpServers(ctx, caller, query),
    }),
    route({
      method: 'POST',
      path: '/mcp-servers',
      id: 'createMcpServer',
      summary: 'Create an MCP server',
      description:
        'By `url`, or by a `command` that runs inside sandboxes. A credential is named in `env` or `headers` as `${NAME}` and its value set on its own; one that is written out is refused.',
      scope: 'plugins:write',
      body: CreateMcpServer,
      examples: examples.createMcpServer,
      status: 201,
      answer: McpServerDetail,
      handle: ({ caller, body }) => createMcpServer(ctx, caller, body),
    }),
    route({
      method: 'GET',
      path: '/mcp-servers/:id',
      id: 'getMcpServer',
      summary: 'Get an MCP server',
      description:
        'With the repositories that it is for; of its secrets the names alone. What it offers is at `/tools`.',
      scope: 'plugins:read',
      params: { id: Id },
      status: 200,
      answer: McpServerDetail,
      handle: ({ caller, params }) => getMcpServer(ctx, caller, params.id),
    }),
    route({
      method: 'PATCH',
      path: '/mcp-servers/:id',
      id: 'updateMcpServer',
      summary: 'Update an MCP server',
      description:
        "`args`, `env`, `headers` and `repos` are replaced whole. A session gets the change with its next fresh sandbox. With another `url`, or another `command`, `args` or `env`, its secrets have to be set again: their values go only where they were set for. An administrator who sends what there is again vouches for what a member wrote, so that it runs beside other members' own secrets.",
      scope: 'plugins:write',
      params: { id: Id },
      body: UpdateMcpServer,
      examples: examples.updateMcpServer,
      status: 200,
      answer: McpServerDetail,
      handle: ({ caller, params, body }) => updateMcpServer(ctx, caller, params.id, body),
    }),
    route({
      method: 'DELETE',
      path: '/mcp-servers/:id',
      id: 'deleteMcpServer',
      summary: 'Delete an MCP server',
      description: 'For good, and no session can name it any more.',
      scope: 'plugins:write',
      params: { id: Id },
      status: 204,
      answer: Type.Null(),
      handle: ({ caller, params }) => deleteMcpServer(ctx, caller, params.id),
    }),
    route({
      method: 'PUT',
      path: '/mcp-servers/:id/secrets/:name',
      id: 'setMcpServerSecret',
      summary: "Set an MCP server's secret",
      description:
        'What `${NAME}` stands for in its `env` and `headers`; it can be set again, and never read. It goes to the server as it is now: its `url`, or its `command` with `args` and `env`. 409 `conflict` for the 51st.',
      scope: 'plugins:write',
      params: { id: Id, name: SecretName },
      body: SetMcpServerSecret,
      examples: examples.setMcpServerSecret,
      status: 200,
      answer: McpServerDetail,
      // The key ring may be a KMS, which may be out of reach.
      errors: [502],
      handle: ({ caller, params, body }) => setMcpServerSecret(ctx, caller, params, body.value),
    }),
    route({
      method: 'DELETE',
      path: '/mcp-servers/:id/secrets/:name',
      id: 'deleteMcpServerSecret',
      summary: "Delete an MCP server's secret",
      description:
        'What names it as `${NAME}` has no value then. 404 `secret_not_found` where there is none of this name.',
      scope: 'plugins:write',
      params: { id: Id, name: SecretName },
      status: 204,
      answer: Type.Null(),
      handle: ({ caller, params }) => deleteMcpServerSecret(ctx, caller, params),
    }),
    route({
      method: 'POST',
      path: '/mcp-servers/:id/test',
      id: 'testMcpServer',
      summary: 'Test an MCP server',
      description:
        'A worker connects to it, by URL over the gateway and to a command in a sandbox of its own, for at most 15 s. The answer is 200 also when that fails: `problem` says why.',
      scope: 'plugins:write',
      params: { id: Id },
      status: 200,
      answer: McpServerTest,
      handle: ({ caller, params }) => testMcpServer(ctx, caller, params.id),
    }),
    route({
      method: 'GET',
      path: '/mcp-servers/:id/tools',
      id: 'listMcpServerTools',
      summary: "List an MCP server's tools",
      description:
        'Asked of the server itself. 403 `address_not_allowed` where the operator has not opened its address, 502 `upstream_error` where it cannot be connected to.',
      scope: 'plugins:read',
      params: { id: Id },
      status: 200,
      answer: McpServerTools,
      errors: [502],
      handle: ({ caller, params }) => listMcpServerTools(ctx, caller, params.id),
    }),
  ];
}
