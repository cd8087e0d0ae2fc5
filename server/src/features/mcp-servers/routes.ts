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
      description: 'Newest first. Secrets are listed by name only.',
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
        'Set `url`, or a `command` that runs inside sandboxes. Reference a credential in `env` or ' +
        '`headers` as `${NAME}` and set its value separately; literal credentials are rejected.',
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
      description: 'Includes the repositories it applies to; secrets are listed by name only. `/tools` has its tools.',
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
        'Replaces `args`, `env`, `headers` and `repos` entirely. Sessions get the change with their next ' +
        'fresh sandbox. After a change of `url`, `command`, `args` or `env`, secrets must be set again: a ' +
        'value goes only where it was set for. An administrator who sends the current values again becomes their ' +
        "author, so that the server can run beside other members' own secrets.",
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
      description: 'Deletes its secrets too. Permanent; sessions can no longer request it.',
      scope: 'plugins:write',
      params: { id: Id },
      status: 204,
      answer: Type.Null(),
      record: McpServerDetail,
      handle: ({ caller, params }) => deleteMcpServer(ctx, caller, params.id),
    }),
    route({
      method: 'PUT',
      path: '/mcp-servers/:id/secrets/:name',
      id: 'setMcpServerSecret',
      summary: "Set an MCP server's secret",
      description:
        'Sets the value of `${NAME}` in `env` and `headers`; it is write-only and can be replaced. It is ' +
        "bound to the server's current `url`, or `command` with `args` and `env`. 409 `conflict` for the " +
        '51st.',
      scope: 'plugins:write',
      params: { id: Id, name: SecretName },
      body: SetMcpServerSecret,
      examples: examples.setMcpServerSecret,
      status: 200,
      answer: McpServerDetail,
      // The key ring may be a KMS, which may be unavailable.
      errors: [502],
      handle: ({ caller, params, body }) => setMcpServerSecret(ctx, caller, params, body.value),
    }),
    route({
      method: 'DELETE',
      path: '/mcp-servers/:id/secrets/:name',
      id: 'deleteMcpServerSecret',
      summary: "Delete an MCP server's secret",
      description:
        'References to `${NAME}` then have no value. 404 `secret_not_found` if the secret does not exist. `If-Match` ' +
        "takes the server's `ETag`.",
      scope: 'plugins:write',
      params: { id: Id, name: SecretName },
      status: 204,
      answer: Type.Null(),
      record: McpServerDetail,
      handle: ({ caller, params }) => deleteMcpServerSecret(ctx, caller, params),
    }),
    route({
      method: 'POST',
      path: '/mcp-servers/:id/test',
      id: 'testMcpServer',
      summary: 'Test an MCP server',
      description:
        'A worker connects to it for at most 15 s: to a URL through the gateway, to a command in a separate ' +
        'sandbox. A failure also returns 200: `problem` gives the reason.',
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
      asksOthers: true,
      summary: "List an MCP server's tools",
      description:
        'Asks the server for its current tools. 403 `address_not_allowed` if the operator does not allow its ' +
        'address, 502 `upstream_error` if the connection fails.',
      scope: 'plugins:read',
      params: { id: Id },
      status: 200,
      answer: McpServerTools,
      errors: [502],
      handle: ({ caller, params }) => listMcpServerTools(ctx, caller, params.id),
    }),
  ];
}
