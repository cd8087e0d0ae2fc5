import { defineFeature } from '../define.ts';

const names = {
  audit: ['tool_token.create', 'tool_token.revoke'],
} as const;

declare module '../../lib/names.ts' {
  interface FeatureNames {
    toolToken: typeof names;
  }
}

export const toolToken = defineFeature({
  ...names,
  tag: 'Tool Token',
  description: "A user's token for the platform's MCP server at `/mcp`.",
  mount: 'root',
  routes: async (ctx) => (await import('./routes.ts')).toolTokenRoutes(ctx),
});
