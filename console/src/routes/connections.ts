import { createRoute } from '@tanstack/react-router';
import { textsOf } from '../lib/list.ts';
import { organization } from './root.ts';
import { screen } from './screen.ts';

const list = createRoute({
  getParentRoute: () => organization,
  path: 'git-connections',
  component: screen(() => import('../features/git-connections/ConnectionsScreen.tsx'), 'ConnectionsScreen'),
});

const add = createRoute({
  getParentRoute: () => organization,
  path: 'git-connections/new',
  component: screen(() => import('../features/git-connections/NewConnectionScreen.tsx'), 'NewConnectionScreen'),
});

const newApp = createRoute({
  getParentRoute: () => organization,
  path: 'git-connections/app/new',
  validateSearch: (search: Record<string, unknown>) => textsOf(search, ['host', 'owner', 'name']),
  component: screen(() => import('../features/git-connections/NewAppScreen.tsx'), 'NewAppScreen'),
});

const app = createRoute({
  getParentRoute: () => organization,
  path: 'git-connections/app',
  validateSearch: (search: Record<string, unknown>) =>
    textsOf(search, ['code', 'state', 'app', 'installation_id', 'setup_action']),
  component: screen(() => import('../features/git-connections/AppScreen.tsx'), 'AppScreen'),
});

const one = createRoute({
  getParentRoute: () => organization,
  path: 'git-connections/$id',
  validateSearch: (search: Record<string, unknown>): { tab?: 'state' | 'repositories'; q?: string } => {
    const { tab } = search;
    return { ...textsOf(search, ['q']), ...(tab === 'state' || tab === 'repositories' ? { tab } : {}) };
  },
  component: screen(() => import('../features/git-connections/ConnectionScreen.tsx'), 'ConnectionScreen'),
});

export const connections = [list, add, newApp, app, one] as const;
