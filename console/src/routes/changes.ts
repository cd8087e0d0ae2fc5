import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { requestFiltersOf, requestSearchOf } from '../features/change-requests/search.ts';
import { organization } from './root.ts';

const changeRequests = createRoute({
  getParentRoute: () => organization,
  path: 'change-requests',
  validateSearch: requestFiltersOf,
  component: lazyRouteComponent(
    () => import('../features/change-requests/ChangeRequestsScreen.tsx'),
    'ChangeRequestsScreen',
  ),
});

const changeRequest = createRoute({
  getParentRoute: () => organization,
  path: 'repositories/$repository/change-requests/$number',
  validateSearch: requestSearchOf,
  component: lazyRouteComponent(
    () => import('../features/change-requests/ChangeRequestScreen.tsx'),
    'ChangeRequestScreen',
  ),
});

export const changes = [changeRequests, changeRequest] as const;
