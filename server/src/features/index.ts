import { agents } from './agents/feature.ts';
import { apps } from './apps/feature.ts';
import { attachments, attachmentDownloads } from './attachments/feature.ts';
import { auditLogs } from './audit-logs/feature.ts';
import { createRefusalRecorder } from './audit-logs/refusals.ts';
import { signIn } from './auth/feature.ts';
import { automations } from './automations/feature.ts';
import { automationCallbacks, automationRuns } from './automations/runs/feature.ts';
import { blueprints } from './blueprints/feature.ts';
import { browser } from './browser/feature.ts';
import { consolePages } from './console/feature.ts';
import { consumption } from './consumption/feature.ts';
import type { FeatureDefinition } from './define.ts';
import { events } from './events/feature.ts';
import { gitConnections } from './git-connections/feature.ts';
import { follow } from './follow/feature.ts';
import { git } from './git/feature.ts';
import { groups } from './groups/feature.ts';
import { guardrails } from './guardrails/feature.ts';
import { hooks } from './hooks/feature.ts';
import { health } from './health/feature.ts';
import { invites } from './invites/feature.ts';
import { ipAccessList } from './ip-access-list/feature.ts';
import { keys } from './keys/feature.ts';
import { knowledge } from './knowledge/feature.ts';
import { mcpServers } from './mcp-servers/feature.ts';
import { mcp } from './mcp/feature.ts';
import { members } from './members/feature.ts';
import { followGroups } from './members/service.ts';
import { memory } from './memory/feature.ts';
import { mentions } from './mentions/feature.ts';
import { metrics } from './metrics/feature.ts';
import { models } from './models/feature.ts';
import { notifications } from './notifications/feature.ts';
import { organizationCollection, organizations } from './organizations/feature.ts';
import { connectionRepositories, repositories } from './repositories/feature.ts';
import { reviews } from './reviews/feature.ts';
import { roles } from './roles/feature.ts';
import { search } from './search/feature.ts';
import { secrets } from './secrets/feature.ts';
import { account } from './self/feature.ts';
import { serviceUsers } from './service-users/feature.ts';
import { sessions } from './sessions/feature.ts';
import { sessionsRun } from './sessions/run/worker-service.ts';
import { settings } from './settings/feature.ts';
import { skills } from './skills/feature.ts';
import { storage } from './storage/feature.ts';
import { toolToken } from './tool-token/feature.ts';
import { views } from './views/feature.ts';
import { webhooks } from './webhooks/feature.ts';
import { wikis } from './wikis/feature.ts';
import { eventType } from '../outbox/event-type.ts';

/** All features of the platform, in the order of the OpenAPI document. */
export const features: readonly FeatureDefinition[] = [
  account,
  signIn({ followGroups, recordRefusals: createRefusalRecorder }),
  organizationCollection,
  organizations(sessionsRun),
  storage,
  members,
  invites,
  roles,
  serviceUsers,
  keys,
  blueprints,
  groups,
  ipAccessList,
  settings,
  auditLogs(auditActions),
  events(eventTypes),
  webhooks(eventTypes),
  notifications,
  secrets,
  mcpServers,
  memory,
  knowledge,
  gitConnections,
  hooks,
  connectionRepositories,
  repositories,
  reviews,
  follow,
  mentions,
  guardrails,
  models,
  sessions,
  automations,
  automationRuns,
  automationCallbacks,
  views,
  wikis,
  search,
  skills,
  attachments,
  attachmentDownloads,
  agents,
  apps,
  consumption,
  metrics,
  browser,
  toolToken,
  mcp,
  git,
  consolePages,
  health,
];

/** Lists the actions of the audit trail, by name. */
function auditActions(): readonly string[] {
  return features.flatMap(({ audit = [] }) => audit).toSorted();
}

let listedTypes: readonly string[] | undefined;

/** Lists the types of domain events, by name. */
function eventTypes(): readonly string[] {
  // The outbox asks with each batch.
  return (listedTypes ??= listEventTypes());
}

function listEventTypes(): readonly string[] {
  const others = features.flatMap(({ events: own = [] }) => own);
  return [...new Set([...auditActions().map(eventType), ...others])].toSorted();
}
