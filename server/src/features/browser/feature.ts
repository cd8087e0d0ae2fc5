import { defineFeature } from '../define.ts';
import { reapBrowsers } from './host-service.ts';

const names = {
  errors: ['browser_session'],
  ids: ['brs'],
  audit: [
    'browser_session.click',
    'browser_session.create',
    'browser_session.delete',
    'browser_session.navigate',
    'browser_session.screenshot',
    'browser_session.type',
  ],
} as const;

declare module '../../lib/names.ts' {
  interface FeatureNames {
    browser: typeof names;
  }
}

export const browser = defineFeature({
  ...names,
  tag: 'Browser',
  description: 'Remote browsers, for programs without one.',
  mount: 'root',
  routes: async (ctx) => (await import('./routes.ts')).browserRoutes(ctx),
  maintenance: [{ name: 'delete-browser-sessions', schedule: '*/5 * * * *', timeoutMs: 300_000, run: reapBrowsers }],
});
