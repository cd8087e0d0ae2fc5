import { createRoute } from '@tanstack/react-router';
import { textsOf } from '../lib/list.ts';
import { organization } from './root.ts';
import { screen } from './screen.ts';

const members = createRoute({
  getParentRoute: () => organization,
  path: 'members',
  validateSearch: (search: Record<string, unknown>) => textsOf(search, ['tab', 'q', 'permission']),
  component: screen(() => import('../features/members/MembersScreen.tsx'), 'MembersScreen'),
});

const invite = createRoute({
  getParentRoute: () => organization,
  path: 'members/invite',
  component: screen(() => import('../features/members/InviteScreen.tsx'), 'InviteScreen'),
});

const member = createRoute({
  getParentRoute: () => organization,
  path: 'members/$userId',
  component: screen(() => import('../features/members/MemberScreen.tsx'), 'MemberScreen'),
});

const groups = createRoute({
  getParentRoute: () => organization,
  path: 'groups',
  component: screen(() => import('../features/groups/GroupsScreen.tsx'), 'GroupsScreen'),
});

const newGroup = createRoute({
  getParentRoute: () => organization,
  path: 'groups/new',
  component: screen(() => import('../features/groups/NewGroupScreen.tsx'), 'NewGroupScreen'),
});

const group = createRoute({
  getParentRoute: () => organization,
  path: 'groups/$id',
  component: screen(() => import('../features/groups/GroupScreen.tsx'), 'GroupScreen'),
});

const serviceUsers = createRoute({
  getParentRoute: () => organization,
  path: 'service-users',
  component: screen(() => import('../features/service-users/ServiceUsersScreen.tsx'), 'ServiceUsersScreen'),
});

const newServiceUser = createRoute({
  getParentRoute: () => organization,
  path: 'service-users/new',
  component: screen(() => import('../features/service-users/NewServiceUserScreen.tsx'), 'NewServiceUserScreen'),
});

const serviceUser = createRoute({
  getParentRoute: () => organization,
  path: 'service-users/$id',
  component: screen(() => import('../features/service-users/ServiceUserScreen.tsx'), 'ServiceUserScreen'),
});

const newServiceUserKey = createRoute({
  getParentRoute: () => organization,
  path: 'service-users/$id/keys/new',
  component: screen(() => import('../features/service-users/NewServiceUserKeyScreen.tsx'), 'NewServiceUserKeyScreen'),
});

const apps = createRoute({
  getParentRoute: () => organization,
  path: 'apps',
  component: screen(() => import('../features/apps/AppsScreen.tsx'), 'AppsScreen'),
});

const newApp = createRoute({
  getParentRoute: () => organization,
  path: 'apps/new',
  component: screen(() => import('../features/apps/NewAppScreen.tsx'), 'NewAppScreen'),
});

const app = createRoute({
  getParentRoute: () => organization,
  path: 'apps/$id',
  component: screen(() => import('../features/apps/AppScreen.tsx'), 'AppScreen'),
});

const newAppKey = createRoute({
  getParentRoute: () => organization,
  path: 'apps/$id/keys/new',
  component: screen(() => import('../features/apps/NewAppKeyScreen.tsx'), 'NewAppKeyScreen'),
});

const ipAccessList = createRoute({
  getParentRoute: () => organization,
  path: 'ip-access-list',
  validateSearch: (search: Record<string, unknown>) => textsOf(search, ['ip']),
  component: screen(() => import('../features/ip-access-list/IpAccessListScreen.tsx'), 'IpAccessListScreen'),
});

const auditLog = createRoute({
  getParentRoute: () => organization,
  path: 'audit-logs',
  validateSearch: (search: Record<string, unknown>) =>
    textsOf(search, ['action', 'outcome', 'actor_id', 'resource_type', 'resource_id', 'from', 'to']),
  component: screen(() => import('../features/audit-logs/AuditLogScreen.tsx'), 'AuditLogScreen'),
});

const auditEntry = createRoute({
  getParentRoute: () => organization,
  path: 'audit-logs/$id',
  component: screen(() => import('../features/audit-logs/AuditEntryScreen.tsx'), 'AuditEntryScreen'),
});

const self = createRoute({
  getParentRoute: () => organization,
  path: 'self',
  validateSearch: (search: Record<string, unknown>) => textsOf(search, ['tab']),
  component: screen(() => import('../features/self/SelfScreen.tsx'), 'SelfScreen'),
});

const newOwnKey = createRoute({
  getParentRoute: () => organization,
  path: 'self/keys/new',
  component: screen(() => import('../features/self/NewOwnKeyScreen.tsx'), 'NewOwnKeyScreen'),
});

const welcome = createRoute({
  getParentRoute: () => organization,
  path: 'welcome',
  component: screen(() => import('../features/welcome/WelcomeScreen.tsx'), 'WelcomeScreen'),
});

export const organizationRoutes = [
  members,
  invite,
  member,
  groups,
  newGroup,
  group,
  serviceUsers,
  newServiceUser,
  serviceUser,
  newServiceUserKey,
  apps,
  newApp,
  app,
  newAppKey,
  ipAccessList,
  auditLog,
  auditEntry,
  self,
  newOwnKey,
  welcome,
] as const;
