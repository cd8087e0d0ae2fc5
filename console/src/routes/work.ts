import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { givenOf } from '../features/sessions/composer/draft.ts';
import { sessionSearchOf } from '../features/sessions/detail/search.ts';
import { searchOf } from '../features/sessions/list/filters.ts';
import { organization } from './root.ts';

const sessions = createRoute({
  getParentRoute: () => organization,
  path: 'sessions',
  validateSearch: searchOf,
  component: lazyRouteComponent(() => import('../features/sessions/list/SessionsScreen.tsx'), 'SessionsScreen'),
});

const newSession = createRoute({
  getParentRoute: () => organization,
  path: 'sessions/new',
  validateSearch: givenOf,
  component: lazyRouteComponent(() => import('../features/sessions/composer/NewSessionScreen.tsx'), 'NewSessionScreen'),
});

const session = createRoute({
  getParentRoute: () => organization,
  path: 'sessions/$id',
  validateSearch: sessionSearchOf,
  component: lazyRouteComponent(() => import('../features/sessions/detail/SessionScreen.tsx'), 'SessionScreen'),
});

export const work = [sessions, newSession, session] as const;
