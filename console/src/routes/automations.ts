import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { automationFiltersOf, automationTabOf, givenOf } from '../features/automations/search.ts';
import { organization } from './root.ts';

const list = createRoute({
  getParentRoute: () => organization,
  path: 'automations',
  validateSearch: automationFiltersOf,
  component: lazyRouteComponent(
    () => import('../features/automations/list/AutomationsScreen.tsx'),
    'AutomationsScreen',
  ),
});

const made = createRoute({
  getParentRoute: () => organization,
  path: 'automations/new',
  validateSearch: givenOf,
  component: lazyRouteComponent(
    () => import('../features/automations/editor/NewAutomationScreen.tsx'),
    'NewAutomationScreen',
  ),
});

const one = createRoute({
  getParentRoute: () => organization,
  path: 'automations/$id',
  validateSearch: automationTabOf,
  component: lazyRouteComponent(
    () => import('../features/automations/detail/AutomationScreen.tsx'),
    'AutomationScreen',
  ),
});

const run = createRoute({
  getParentRoute: () => organization,
  path: 'automations/$id/runs/$runId',
  component: lazyRouteComponent(() => import('../features/automations/run/RunScreen.tsx'), 'RunScreen'),
});

export const automations = [list, made, one, run] as const;
