import { createRoute } from '@tanstack/react-router';
import { sessionSearchOf } from '../features/sessions/detail/search.ts';
import { searchOf } from '../features/sessions/list/filters.ts';
import { SessionsScreen } from '../features/sessions/list/SessionsScreen.tsx';
import { prefetchSession, prefetchSessions } from '../features/sessions/prefetch.ts';
import { textsOf } from '../lib/list.ts';
import { organization } from './root.ts';
import { screen } from './screen.ts';

const sessions = createRoute({
  getParentRoute: () => organization,
  path: 'sessions',
  validateSearch: searchOf,
  // The address may say more than the list understands.
  loaderDeps: ({ search }) => searchOf({ ...search }),
  loader: ({ params, deps }) => prefetchSessions(params.org, deps),
  // Most visits begin here.
  component: SessionsScreen,
});

const newSession = createRoute({
  getParentRoute: () => organization,
  path: 'sessions/new',
  validateSearch: (search) => textsOf(search, ['prompt', 'repo', 'ref', 'agent']),
  component: screen(() => import('../features/sessions/composer/NewSessionScreen.tsx'), 'NewSessionScreen'),
});

const session = createRoute({
  getParentRoute: () => organization,
  path: 'sessions/$id',
  validateSearch: sessionSearchOf,
  loader: ({ params }) => prefetchSession(params.org, params.id),
  component: screen(() => import('../features/sessions/detail/SessionScreen.tsx'), 'SessionScreen'),
});

export const work = [sessions, newSession, session] as const;
