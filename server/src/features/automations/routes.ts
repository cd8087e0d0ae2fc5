import type { Route } from '../../http/route.ts';

export function automationRoutes(): Route[] {
  return [];
}
