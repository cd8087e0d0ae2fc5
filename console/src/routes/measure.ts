import { createRoute } from '@tanstack/react-router';
import { consumptionSearchOf, metricsSearchOf } from '../features/measure/search.ts';
import { organization } from './root.ts';
import { screen } from './screen.ts';

const consumption = createRoute({
  getParentRoute: () => organization,
  path: 'consumption',
  validateSearch: consumptionSearchOf,
  component: screen(() => import('../features/measure/consumption/ConsumptionScreen.tsx'), 'ConsumptionScreen'),
});

const metrics = createRoute({
  getParentRoute: () => organization,
  path: 'metrics',
  validateSearch: metricsSearchOf,
  component: screen(() => import('../features/measure/metrics/MetricsScreen.tsx'), 'MetricsScreen'),
});

export const measure = [consumption, metrics] as const;
