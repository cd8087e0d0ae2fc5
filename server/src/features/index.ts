import type { Context } from '../app/context.ts';
import type { Feature } from '../http/route.ts';
import { agentRoutes } from './agents/routes.ts';
import { appRoutes } from './apps/routes.ts';
import { auditLogRoutes } from './audit-logs/routes.ts';
import { createFailureRecorder } from './auth/failures.ts';
import { authRoutes } from './auth/routes.ts';
import { attachmentRoutes, downloadRoutes } from './attachments/routes.ts';
import { browserRoutes } from './browser/routes.ts';
import { blueprintRoutes } from './blueprints/routes.ts';
import { gitConnectionRoutes } from './git-connections/routes.ts';
import { groupRoutes } from './groups/routes.ts';
import { healthRoutes } from './health/routes.ts';
import { ipAccessListRoutes } from './ip-access-list/routes.ts';
import { mcpRoutes } from './mcp/routes.ts';
import { mcpServerRoutes } from './mcp-servers/routes.ts';
import { memoryRoutes } from './memory/routes.ts';
import { invitePageRoutes } from './invites/page-routes.ts';
import { signInPageRoutes } from './sign-in/routes.ts';
import { invitationRoutes } from './invites/routes.ts';
import { inviteRoutes } from './members/invite-routes.ts';
import { knowledgeRoutes, noteRoutes, transferRoutes } from './knowledge/routes.ts';
import { memberRoutes } from './members/routes.ts';
import { followGroups } from './members/service.ts';
import { organizationCollectionRoutes, organizationRoutes } from './organizations/routes.ts';
import { changeRequestRoutes } from './repositories/change-request-routes.ts';
import { connectionRepositoryRoutes } from './repositories/connection-routes.ts';
import { repositoryRoutes } from './repositories/routes.ts';
import { gitRoutes } from './git/routes.ts';
import { roleRoutes } from './roles/routes.ts';
import { secretRoutes } from './secrets/routes.ts';
import { selfRoutes } from './self/routes.ts';
import { serviceUserKeyRoutes } from './service-users/key-routes.ts';
import { serviceUserRoutes } from './service-users/routes.ts';
import { actionRoutes } from './sessions/api/action-routes.ts';
import { eventRoutes } from './sessions/api/event-routes.ts';
import { approvalRoutes } from './sessions/api/approval-routes.ts';
import { messageRoutes } from './sessions/api/message-routes.ts';
import { resultRoutes } from './sessions/api/result-routes.ts';
import { sessionRoutes } from './sessions/api/routes.ts';
import { tellSession } from './sessions/api/event-service.ts';
import { sessionsRun } from './sessions/run/worker-service.ts';
import { settingsRoutes } from './settings/routes.ts';
import { skillRoutes } from './skills/routes.ts';
import { storageRoutes } from './storage/routes.ts';
import { toolTokenRoutes } from './tool-token/routes.ts';

/** The API's table of contents. */
export function features(ctx: Context): Feature[] {
  const account = { tag: 'Account', description: 'Who a key belongs to, and the keys of a person.' };
  const failures = createFailureRecorder(ctx);
  const signIn = { tag: 'Sign-in', description: 'How people sign in and out, in a browser.' };
  const invites = { tag: 'Invites', description: 'What the link in an invitation leads to.' };
  const organizations = { tag: 'Organizations', description: 'The tenants: everything else lies below one of them.' };
  const storage = { tag: 'Storage', description: 'How much an organization keeps in files and repositories.' };
  const members = { tag: 'Members', description: 'The people of an organization, and what each of them may do in it.' };
  const roles = { tag: 'Roles', description: 'What each member may do in the product.' };
  const serviceUsers = { tag: 'Service Users', description: 'Machines that hold keys of their own.' };
  const blueprints = { tag: 'Blueprints', description: 'What each agent is, as a manifest without credentials.' };
  const groups = { tag: 'Groups', description: 'Members who share what their sessions may use in a day.' };
  const ipAccessList = { tag: 'IP Access List', description: "From where an organization's keys may be used." };
  const settings = { tag: 'Settings', description: 'What an organization decides for all of its sessions.' };
  const auditLogs = {
    tag: 'Audit Logs',
    description: 'Who changed what, in a chain that shows when it was tampered with.',
  };
  const secrets = { tag: 'Secrets', description: 'Credentials for sessions: they can be set, and never read.' };
  const mcpServers = {
    tag: 'MCP Servers',
    description: "Tool servers that the organization's agents may use, over the Model Context Protocol.",
  };
  const memory = {
    tag: 'Memory',
    description: 'What people and agents note down about a repository, for those who work there next.',
  };
  const knowledge = { tag: 'Knowledge', description: 'Notes for agents, found by what a session is about.' };
  const connections = { tag: 'Git Connections', description: 'The git hosts that an organization is connected to.' };
  const repositories = { tag: 'Repositories', description: 'What sessions work on, and the changes they propose.' };
  const sessions = {
    tag: 'Sessions',
    description: "One agent's work on a task, from the prompt to the change request.",
  };
  const attachments = { tag: 'Attachments', description: 'Files for sessions, given to the organization.' };
  const skills = { tag: 'Skills', description: 'Bundles of instructions that agents take up for tasks they fit.' };
  const agents = { tag: 'Agents', description: 'Who does the work: a runtime, a model and instructions.' };
  const apps = { tag: 'Apps', description: 'Programs of others, each with keys of its own.' };
  const browser = { tag: 'Browser', description: 'Browsers on the web, for programs that have none.' };
  const toolToken = {
    tag: 'Tool Token',
    description: "What lets a person's own agent use the platform's tools, over the Model Context Protocol at `/mcp`.",
  };
  return [
    { ...account, mount: 'v3', routes: selfRoutes(ctx, failures) },
    { ...signIn, mount: 'v3', routes: authRoutes(ctx, failures, followGroups) },
    { ...organizations, mount: 'v3', routes: organizationCollectionRoutes(ctx) },
    { ...organizations, mount: 'organization', routes: organizationRoutes(ctx, sessionsRun) },
    { ...storage, mount: 'organization', routes: storageRoutes(ctx) },
    { ...members, mount: 'organization', routes: [...inviteRoutes(ctx), ...memberRoutes(ctx)] },
    { ...invites, mount: 'v3', routes: invitationRoutes(ctx, failures) },
    { ...roles, mount: 'organization', routes: roleRoutes(ctx) },
    { ...serviceUsers, mount: 'organization', routes: [...serviceUserRoutes(ctx), ...serviceUserKeyRoutes(ctx)] },
    { ...blueprints, mount: 'organization', routes: blueprintRoutes(ctx) },
    { ...groups, mount: 'organization', routes: groupRoutes(ctx) },
    { ...ipAccessList, mount: 'organization', routes: ipAccessListRoutes(ctx) },
    { ...settings, mount: 'organization', routes: settingsRoutes(ctx) },
    { ...auditLogs, mount: 'organization', routes: auditLogRoutes(ctx) },
    { ...secrets, mount: 'organization', routes: secretRoutes(ctx) },
    { ...mcpServers, mount: 'organization', routes: mcpServerRoutes(ctx) },
    { ...memory, mount: 'organization', routes: memoryRoutes(ctx) },
    {
      ...knowledge,
      mount: 'organization',
      multipart: true,
      routes: [...noteRoutes(ctx), ...knowledgeRoutes(ctx), ...transferRoutes(ctx)],
    },
    {
      ...connections,
      mount: 'organization',
      routes: [...gitConnectionRoutes(ctx), ...connectionRepositoryRoutes(ctx)],
    },
    {
      ...repositories,
      mount: 'organization',
      routes: [...repositoryRoutes(ctx), ...changeRequestRoutes(ctx, tellSession)],
    },
    {
      ...sessions,
      mount: 'organization',
      routes: [
        ...sessionRoutes(ctx),
        ...messageRoutes(ctx),
        ...approvalRoutes(ctx),
        ...eventRoutes(ctx),
        ...actionRoutes(ctx),
        ...resultRoutes(ctx),
      ],
    },
    { ...skills, mount: 'organization', archives: true, routes: skillRoutes(ctx) },
    { ...attachments, mount: 'organization', multipart: true, routes: attachmentRoutes(ctx) },
    { ...attachments, mount: 'v3', routes: downloadRoutes(ctx) },
    { ...agents, mount: 'root', routes: agentRoutes(ctx) },
    { ...apps, mount: 'root', routes: appRoutes(ctx) },
    { ...browser, mount: 'root', routes: browserRoutes(ctx) },
    { ...toolToken, mount: 'root', routes: toolTokenRoutes(ctx) },
    { tag: 'MCP', description: '', mount: 'root', routes: mcpRoutes(ctx) },
    { tag: 'Git', description: '', mount: 'root', routes: gitRoutes(ctx) },
    { tag: 'Pages', description: '', mount: 'root', routes: [...signInPageRoutes(ctx), ...invitePageRoutes(ctx)] },
    { tag: 'Health', description: '', mount: 'root', routes: healthRoutes(ctx) },
  ];
}
