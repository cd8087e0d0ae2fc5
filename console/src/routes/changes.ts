import { createRoute } from '@tanstack/react-router';
import { requestFiltersOf, requestSearchOf } from '../features/change-requests/search.ts';
import { organization } from './root.ts';
import { screen } from './screen.ts';

const changeRequests = createRoute({
  getParentRoute: () => organization,
  path: 'change-requests',
  validateSearch: requestFiltersOf,
  component: screen(() => import('../features/change-requests/ChangeRequestsScreen.tsx'), 'ChangeRequestsScreen'),
});

const changeRequest = createRoute({
  getParentRoute: () => organization,
  path: 'repositories/$repository/change-requests/$number',
  validateSearch: requestSearchOf,
  component: screen(() => import('../features/change-requests/ChangeRequestScreen.tsx'), 'ChangeRequestScreen'),
});

export const changes = [changeRequests, changeRequest] as const;
