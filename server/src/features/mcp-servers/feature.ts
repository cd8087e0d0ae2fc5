import { defineFeature } from '../define.ts';

const names = {
  errors: ['mcp_server'],
  ids: ['mcp'],
  audit: [
    'mcp_server.create',
    'mcp_server.delete',
    'mcp_server.delete_secret',
    'mcp_server.set_secret',
    'mcp_server.test',
    'mcp_server.update',
  ],
} as const;

declare module '../../lib/names.ts' {
  interface FeatureNames {
    mcpServers: typeof names;
  }
}

export const mcpServers = defineFeature({
  ...names,
  tag: 'MCP Servers',
  description: "MCP servers that the organization's agents can use.",
  mount: 'organization',
  routes: async (ctx) => (await import('./routes.ts')).mcpServerRoutes(ctx),
});
