import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { reviewFiltersOf } from '../features/reviews/queries.ts';
import { organization } from './root.ts';

const list = createRoute({
  getParentRoute: () => organization,
  path: 'reviews',
  validateSearch: reviewFiltersOf,
  component: lazyRouteComponent(() => import('../features/reviews/ReviewsScreen.tsx'), 'ReviewsScreen'),
});

const one = createRoute({
  getParentRoute: () => organization,
  path: 'reviews/$id',
  component: lazyRouteComponent(() => import('../features/reviews/ReviewScreen.tsx'), 'ReviewScreen'),
});

export const reviews = [list, one] as const;
