import { createRoute } from '@tanstack/react-router';
import { guardrailsSearchOf } from '../features/guardrails/search.ts';
import { organization } from './root.ts';
import { screen } from './screen.ts';

const guardrails = createRoute({
  getParentRoute: () => organization,
  path: 'guardrails',
  validateSearch: guardrailsSearchOf,
  component: screen(() => import('../features/guardrails/GuardrailsScreen.tsx'), 'GuardrailsScreen'),
});

const violation = createRoute({
  getParentRoute: () => organization,
  path: 'guardrails/violations/$id',
  component: screen(() => import('../features/guardrails/ViolationScreen.tsx'), 'ViolationScreen'),
});

export const guard = [guardrails, violation] as const;
