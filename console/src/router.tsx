import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { NotHere } from './features/shell/NotHere.tsx';
import { Shell } from './features/shell/Shell.tsx';
import { firstOrganization } from './features/shell/organizations.ts';
import { givenOf } from './features/sessions/composer/draft.ts';
import { filtersOf } from './features/sessions/list/filters.ts';

const root = createRootRoute({ component: Outlet, notFoundComponent: NotHere });

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: async () => {
    const org = await firstOrganization();
    if (org !== undefined) throw redirect({ to: '/$org/sessions', params: { org } });
  },
  component: NotHere,
});

const organization = createRoute({ getParentRoute: () => root, path: '/$org', component: Shell });

const organizationHome = createRoute({
  getParentRoute: () => organization,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/$org/sessions', params });
  },
});

const sessions = createRoute({
  getParentRoute: () => organization,
  path: 'sessions',
  validateSearch: filtersOf,
  component: lazyRouteComponent(() => import('./features/sessions/list/SessionsScreen.tsx'), 'SessionsScreen'),
});

const newSession = createRoute({
  getParentRoute: () => organization,
  path: 'sessions/new',
  validateSearch: givenOf,
  component: lazyRouteComponent(() => import('./features/sessions/composer/NewSessionScreen.tsx'), 'NewSessionScreen'),
});

const session = createRoute({
  getParentRoute: () => organization,
  path: 'sessions/$id',
  component: lazyRouteComponent(() => import('./features/sessions/detail/SessionScreen.tsx'), 'SessionScreen'),
});

export const router = createRouter({
  routeTree: root.addChildren([home, organization.addChildren([organizationHome, sessions, newSession, session])]),
  basepath: '/console',
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
