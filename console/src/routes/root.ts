import { createRootRoute, createRoute, notFound, Outlet, redirect } from '@tanstack/react-router';
import { Home } from '../features/shell/Home.tsx';
import { NotHere } from '../features/shell/NotHere.tsx';
import { Shell } from '../features/shell/Shell.tsx';
import { organizationsQuery, selfQuery } from '../features/shell/organizations.ts';
import { queryClient } from '../lib/query.ts';

export const root = createRootRoute({ component: Outlet, notFoundComponent: NotHere });

export const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  loader: () => void queryClient.prefetchQuery(organizationsQuery),
  component: Home,
});

/** Everything of an organization is below it. What is not there leaves the rail where it is. */
export const organization = createRoute({
  getParentRoute: () => root,
  path: '/$org',
  beforeLoad: ({ params }) => {
    // No request could name another one.
    if (!/^[\w-]+$/.test(params.org)) throw notFound();
  },
  loader: ({ params }) => void queryClient.prefetchQuery(selfQuery(params.org)),
  component: Shell,
  notFoundComponent: NotHere,
});

export const organizationHome = createRoute({
  getParentRoute: () => organization,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/$org/sessions', params });
  },
});
