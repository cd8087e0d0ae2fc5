import { createRoute } from '@tanstack/react-router';
import { repositoryFiltersOf } from '../features/repositories/queries.ts';
import { repositorySearchOf } from '../features/repositories/tabs.ts';
import { textsOf } from '../lib/list.ts';
import { organization } from './root.ts';
import { screen } from './screen.ts';

const repositories = createRoute({
  getParentRoute: () => organization,
  path: 'repositories',
  validateSearch: repositoryFiltersOf,
  component: screen(() => import('../features/repositories/RepositoriesScreen.tsx'), 'RepositoriesScreen'),
});

const newRepository = createRoute({
  getParentRoute: () => organization,
  path: 'repositories/new',
  component: screen(() => import('../features/repositories/NewRepositoryScreen.tsx'), 'NewRepositoryScreen'),
});

const repository = createRoute({
  getParentRoute: () => organization,
  path: 'repositories/$id',
  validateSearch: repositorySearchOf,
  component: screen(() => import('../features/repositories/RepositoryScreen.tsx'), 'RepositoryScreen'),
});

const agents = createRoute({
  getParentRoute: () => organization,
  path: 'agents',
  component: screen(() => import('../features/agents/AgentsScreen.tsx'), 'AgentsScreen'),
});

const newAgent = createRoute({
  getParentRoute: () => organization,
  path: 'agents/new',
  component: screen(() => import('../features/agents/NewAgentScreen.tsx'), 'NewAgentScreen'),
});

const agent = createRoute({
  getParentRoute: () => organization,
  path: 'agents/$id',
  validateSearch: ({ tab, v }: Record<string, unknown>): { tab?: 'agent' | 'versions'; v?: number } => ({
    ...(tab === 'agent' || tab === 'versions' ? { tab } : {}),
    ...(typeof v === 'number' && Number.isInteger(v) && v > 0 ? { v } : {}),
  }),
  component: screen(() => import('../features/agents/AgentScreen.tsx'), 'AgentScreen'),
});

const blueprints = createRoute({
  getParentRoute: () => organization,
  path: 'blueprints',
  component: screen(() => import('../features/blueprints/BlueprintsScreen.tsx'), 'BlueprintsScreen'),
});

const blueprint = createRoute({
  getParentRoute: () => organization,
  path: 'blueprints/$id',
  validateSearch: (search: Record<string, unknown>) => textsOf(search, ['diff']),
  component: screen(() => import('../features/blueprints/BlueprintScreen.tsx'), 'BlueprintScreen'),
});

export const code = [repositories, newRepository, repository, agents, newAgent, agent, blueprints, blueprint] as const;
