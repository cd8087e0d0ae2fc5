import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { consumptionSearchOf, metricsSearchOf } from '../features/measure/search.ts';
import { organization } from './root.ts';

const consumption = createRoute({
  getParentRoute: () => organization,
  path: 'consumption',
  validateSearch: consumptionSearchOf,
  component: lazyRouteComponent(
    () => import('../features/measure/consumption/ConsumptionScreen.tsx'),
    'ConsumptionScreen',
  ),
});

const metrics = createRoute({
  getParentRoute: () => organization,
  path: 'metrics',
  validateSearch: metricsSearchOf,
  component: lazyRouteComponent(() => import('../features/measure/metrics/MetricsScreen.tsx'), 'MetricsScreen'),
});

export const measure = [consumption, metrics] as const;
