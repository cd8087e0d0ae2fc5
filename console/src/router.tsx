import { createRouter } from '@tanstack/react-router';
import { Broken } from './features/shell/Broken.tsx';
import { noteSearch } from './lib/last-search.ts';
import { changes } from './routes/changes.ts';
import { code } from './routes/code.ts';
import { connections } from './routes/connections.ts';
import { context } from './routes/context.ts';
import { entrance } from './routes/entrance.ts';
import { organizationRoutes } from './routes/organization.ts';
import { automations } from './routes/automations.ts';
import { guard } from './routes/guard.ts';
import { measure } from './routes/measure.ts';
import { webhooks } from './routes/webhooks.ts';
import { home, organization, organizationHome, root } from './routes/root.ts';
import { reviews } from './routes/reviews.ts';
import { settings } from './routes/settings.ts';
import { work } from './routes/work.ts';

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    ...entrance,
    organization.addChildren([
      organizationHome,
      ...work,
      ...changes,
      ...reviews,
      ...context,
      ...code,
      ...connections,
      ...organizationRoutes,
      ...settings,
      ...automations,
      ...guard,
      ...measure,
      ...webhooks,
    ]),
  ]),
  basepath: '/console',
  defaultPreload: 'intent',
  defaultErrorComponent: Broken,
  // The log of a session keeps its own place.
  scrollRestoration: ({ location }) => !/\/sessions\/ses_/.test(location.pathname),
});

router.subscribe('onResolved', () => noteSearch(location));

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
