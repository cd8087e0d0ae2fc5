import { createRoute } from '@tanstack/react-router';
import { reviewFiltersOf } from '../features/reviews/queries.ts';
import { organization } from './root.ts';
import { screen } from './screen.ts';

const list = createRoute({
  getParentRoute: () => organization,
  path: 'reviews',
  validateSearch: reviewFiltersOf,
  component: screen(() => import('../features/reviews/ReviewsScreen.tsx'), 'ReviewsScreen'),
});

const one = createRoute({
  getParentRoute: () => organization,
  path: 'reviews/$id',
  component: screen(() => import('../features/reviews/ReviewScreen.tsx'), 'ReviewScreen'),
});

export const reviews = [list, one] as const;
