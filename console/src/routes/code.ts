import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { repositoryFiltersOf } from '../features/repositories/queries.ts';
import { textsOf } from '../lib/list.ts';
import { organization } from './root.ts';

const repositories = createRoute({
  getParentRoute: () => organization,
  path: 'repositories',
  validateSearch: repositoryFiltersOf,
  component: lazyRouteComponent(() => import('../features/repositories/RepositoriesScreen.tsx'), 'RepositoriesScreen'),
});

const newRepository = createRoute({
  getParentRoute: () => organization,
  path: 'repositories/new',
  component: lazyRouteComponent(
    () => import('../features/repositories/NewRepositoryScreen.tsx'),
    'NewRepositoryScreen',
  ),
});

const repository = createRoute({
  getParentRoute: () => organization,
  path: 'repositories/$id',
  validateSearch: (search: Record<string, unknown>): { tab?: 'branches' | 'push' | 'settings'; q?: string } => {
    const { tab } = search;
    return {
      ...textsOf(search, ['q']),
      ...(tab === 'branches' || tab === 'push' || tab === 'settings' ? { tab } : {}),
    };
  },
  component: lazyRouteComponent(() => import('../features/repositories/RepositoryScreen.tsx'), 'RepositoryScreen'),
});

export const code = [repositories, newRepository, repository] as const;
