import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { textsOf } from '../lib/list.ts';
import { organization } from './root.ts';

const members = createRoute({
  getParentRoute: () => organization,
  path: 'members',
  validateSearch: (search: Record<string, unknown>) => textsOf(search, ['tab', 'q', 'permission']),
  component: lazyRouteComponent(() => import('../features/members/MembersScreen.tsx'), 'MembersScreen'),
});

const invite = createRoute({
  getParentRoute: () => organization,
  path: 'members/invite',
  component: lazyRouteComponent(() => import('../features/members/InviteScreen.tsx'), 'InviteScreen'),
});

const member = createRoute({
  getParentRoute: () => organization,
  path: 'members/$userId',
  component: lazyRouteComponent(() => import('../features/members/MemberScreen.tsx'), 'MemberScreen'),
});

export const organizationRoutes = [members, invite, member] as const;
