import { createRoute } from '@tanstack/react-router';
import { organization } from './root.ts';
import { screen } from './screen.ts';

const all = createRoute({
  getParentRoute: () => organization,
  path: 'settings',
  component: screen(() => import('../features/settings/SettingsScreen.tsx'), 'SettingsScreen'),
});

const one = createRoute({
  getParentRoute: () => organization,
  path: 'settings/$namespace',
  component: screen(() => import('../features/settings/NamespaceScreen.tsx'), 'NamespaceScreen'),
});

export const settings = [all, one] as const;
