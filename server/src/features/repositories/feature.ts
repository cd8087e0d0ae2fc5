import { defineFeature } from '../define.ts';
import { indexMerges } from './code-index/queue-service.ts';
import { followHosts } from './host-consumer.ts';
import { settleChangeRequests } from './settle-service.ts';
import { noteSessions } from './session-consumer.ts';
import { purgeRepositories } from './purge-service.ts';
import { pruneRepositories } from './prune-service.ts';
import { measureRepositories } from './size-service.ts';

const names = {
  errors: ['repository', 'change_request', 'comment'],
  events: ['change_request.continued', 'change_request.state_changed', 'change_request.updated'],
  ids: ['repo', 'cr', 'crc', 'cst'],
  audit: [
    'change_request.close',
    'change_request.comment',
    'change_request.comment_update',
    'change_request.merge',
    'change_request.open',
    'commit_status.set',
    'repository.create',
    'repository.delete',
    'repository.index',
    'repository.index_delete',
    'repository.purge',
    'repository.push',
    'repository.restore',
    'repository.update',
  ],
} as const;

declare module '../../lib/names.ts' {
  interface FeatureNames {
    repositories: typeof names;
  }
}

export const connectionRepositories = defineFeature({
  tag: 'Git Connections',
  description: '',
  mount: 'organization',
  routes: async (ctx) => (await import('./connection-routes.ts')).connectionRepositoryRoutes(ctx),
});

export const repositories = defineFeature({
  ...names,
  tag: 'Repositories',
  description: 'Repositories that sessions work on, and their change requests.',
  mount: 'organization',
  routes: async (ctx) => {
    const { repositoryRoutes } = await import('./routes.ts');
    const { changeRequestRoutes } = await import('./change-request-routes.ts');
    const { listingRoutes } = await import('./listing-routes.ts');
    const { indexRoutes } = await import('./code-index/routes.ts');
    const { statusRoutes } = await import('./status-routes.ts');
    return [
      ...repositoryRoutes(ctx),
      ...listingRoutes(ctx),
      ...indexRoutes(ctx),
      ...statusRoutes(ctx),
      ...changeRequestRoutes(ctx),
    ];
  },
  consumers: [noteSessions, indexMerges, followHosts],
  maintenance: [
    {
      name: 'settle-change-requests',
      queue: 'repository_maintenance',
      schedule: '* * * * *',
      timeoutMs: 300_000,
      run: settleChangeRequests,
    },
    {
      name: 'purge-repositories',
      queue: 'repository_maintenance',
      schedule: '17 * * * *',
      timeoutMs: 10_800_000,
      run: purgeRepositories,
    },
    {
      name: 'prune-repositories',
      queue: 'repository_maintenance',
      schedule: '27 * * * *',
      timeoutMs: 10_800_000,
      run: pruneRepositories,
    },
    {
      name: 'measure-repositories',
      queue: 'repository_maintenance',
      schedule: '37 * * * *',
      timeoutMs: 10_800_000,
      run: measureRepositories,
    },
  ],
});
