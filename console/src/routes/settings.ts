import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { organization } from './root.ts';

const all = createRoute({
  getParentRoute: () => organization,
  path: 'settings',
  component: lazyRouteComponent(() => import('../features/settings/SettingsScreen.tsx'), 'SettingsScreen'),
});

const one = createRoute({
  getParentRoute: () => organization,
  path: 'settings/$namespace',
  component: lazyRouteComponent(() => import('../features/settings/NamespaceScreen.tsx'), 'NamespaceScreen'),
});

export const settings = [all, one] as const;
