import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { repositoryFiltersOf } from '../features/repositories/queries.ts';
import { repositorySearchOf } from '../features/repositories/tabs.ts';
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
  validateSearch: repositorySearchOf,
  component: lazyRouteComponent(() => import('../features/repositories/RepositoryScreen.tsx'), 'RepositoryScreen'),
});

const agents = createRoute({
  getParentRoute: () => organization,
  path: 'agents',
  component: lazyRouteComponent(() => import('../features/agents/AgentsScreen.tsx'), 'AgentsScreen'),
});

const newAgent = createRoute({
  getParentRoute: () => organization,
  path: 'agents/new',
  component: lazyRouteComponent(() => import('../features/agents/NewAgentScreen.tsx'), 'NewAgentScreen'),
});

const agent = createRoute({
  getParentRoute: () => organization,
  path: 'agents/$id',
  validateSearch: ({ tab, v }: Record<string, unknown>): { tab?: 'agent' | 'versions'; v?: number } => ({
    ...(tab === 'agent' || tab === 'versions' ? { tab } : {}),
    ...(typeof v === 'number' && Number.isInteger(v) && v > 0 ? { v } : {}),
  }),
  component: lazyRouteComponent(() => import('../features/agents/AgentScreen.tsx'), 'AgentScreen'),
});

const blueprints = createRoute({
  getParentRoute: () => organization,
  path: 'blueprints',
  component: lazyRouteComponent(() => import('../features/blueprints/BlueprintsScreen.tsx'), 'BlueprintsScreen'),
});

const blueprint = createRoute({
  getParentRoute: () => organization,
  path: 'blueprints/$id',
  validateSearch: (search: Record<string, unknown>) => textsOf(search, ['diff']),
  component: lazyRouteComponent(() => import('../features/blueprints/BlueprintScreen.tsx'), 'BlueprintScreen'),
});

export const code = [repositories, newRepository, repository, agents, newAgent, agent, blueprints, blueprint] as const;
