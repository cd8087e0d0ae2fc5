import { defineFeature } from '../define.ts';

export const mcp = defineFeature({
  tag: 'MCP',
  description: '',
  mount: 'root',
  routes: async (ctx) => (await import('./routes.ts')).mcpRoutes(ctx),
});
