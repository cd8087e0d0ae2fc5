import type { Context } from '../context.ts';
import type { Feature } from '../http/app.ts';
import { agentRoutes } from './agents/routes.ts';
import { gitConnectionRoutes } from './git-connections/routes.ts';
import { healthRoutes } from './health/routes.ts';
import { organizationCollectionRoutes, organizationRoutes } from './organizations/routes.ts';
import { changeRequestRoutes } from './repositories/change-request-routes.ts';
import { repositoryRoutes } from './repositories/routes.ts';
import { gitRoutes } from './git/routes.ts';
import { selfRoutes } from './self/routes.ts';
import { serviceUserKeyRoutes } from './service-users/key-routes.ts';
import { serviceUserRoutes } from './service-users/routes.ts';
import { actionRoutes } from './sessions/action-routes.ts';
import { eventRoutes } from './sessions/event-routes.ts';
import { messageRoutes } from './sessions/message-routes.ts';
import { resultRoutes } from './sessions/result-routes.ts';
import { sessionRoutes } from './sessions/routes.ts';

/** The API's table of contents. */
export function features(ctx: Context): Feature[] {
  return [
    { tag: 'Account', mount: 'v3', routes: selfRoutes(ctx) },
    { tag: 'Organizations', mount: 'v3', routes: organizationCollectionRoutes(ctx) },
    { tag: 'Organizations', mount: 'organization', routes: organizationRoutes(ctx) },
    { tag: 'Service Users', mount: 'organization', routes: [...serviceUserRoutes(ctx), ...serviceUserKeyRoutes(ctx)] },
    { tag: 'Git Connections', mount: 'organization', routes: gitConnectionRoutes(ctx) },
    { tag: 'Repositories', mount: 'organization', routes: [...repositoryRoutes(ctx), ...changeRequestRoutes(ctx)] },
    {
      tag: 'Sessions',
      mount: 'organization',
      routes: [
        ...sessionRoutes(ctx),
        ...messageRoutes(ctx),
        ...eventRoutes(ctx),
        ...actionRoutes(ctx),
        ...resultRoutes(ctx),
      ],
    },
    { tag: 'Agents', mount: 'root', routes: agentRoutes(ctx) },
    { tag: 'Git', mount: 'root', routes: gitRoutes(ctx) },
    { tag: 'Health', mount: 'root', routes: healthRoutes(ctx) },
  ];
}
