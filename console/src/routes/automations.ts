import { createRoute } from '@tanstack/react-router';
import { automationFiltersOf, automationTabOf, givenOf } from '../features/automations/search.ts';
import { organization } from './root.ts';
import { screen } from './screen.ts';

const list = createRoute({
  getParentRoute: () => organization,
  path: 'automations',
  validateSearch: automationFiltersOf,
  component: screen(() => import('../features/automations/list/AutomationsScreen.tsx'), 'AutomationsScreen'),
});

const made = createRoute({
  getParentRoute: () => organization,
  path: 'automations/new',
  validateSearch: givenOf,
  component: screen(() => import('../features/automations/editor/NewAutomationScreen.tsx'), 'NewAutomationScreen'),
});

const one = createRoute({
  getParentRoute: () => organization,
  path: 'automations/$id',
  validateSearch: automationTabOf,
  component: screen(() => import('../features/automations/detail/AutomationScreen.tsx'), 'AutomationScreen'),
});

const run = createRoute({
  getParentRoute: () => organization,
  path: 'automations/$id/runs/$runId',
  component: screen(() => import('../features/automations/run/RunScreen.tsx'), 'RunScreen'),
});

export const automations = [list, made, one, run] as const;
