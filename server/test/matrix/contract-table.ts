import { isScope, type Scope } from '../../src/lib/scopes.ts';

/** The access to an operation: a scope, `any` valid key, or `none`. */
export interface Access {
  scope: Scope | 'any' | 'none';
  /** A second scope that the operation needs too. */
  also?: Scope | undefined;
  /** For users only, with a personal key. */
  persons?: boolean;
  /** Also allowed for a sandbox's own key, for its session and its children. */
  sessions?: boolean;
}

/**
 * The access to each operation, one line each, written from the contract and not from the program. A path parameter is
 * `{}`.
 */
const table = `
# Account
any sessions    GET    /v3/self
any persons     GET    /v3/self/keys
any persons     POST   /v3/self/keys
any persons     DELETE /v3/self/keys/{}
any persons     POST   /v3/self/keys/{}/rotate
any persons     PUT    /v3/self/password
any persons     GET    /v3/self/sign-ins
any persons     DELETE /v3/self/sign-ins/{}
any persons     GET    /v3/self/preferences/{}
any persons     PUT    /v3/self/preferences/{}
none            POST   /v3/auth/sign-in
none            POST   /v3/auth/sign-out
any persons     POST   /v3/auth/sign-out-everywhere
none            GET    /v3/auth/methods
none            GET    /v3/auth/sso/{}/start
none            GET    /v3/auth/sso/{}/callback
none            GET    /v3/invites/{}
none            POST   /v3/invites/{}/accept

# Organizations
any             GET    /v3/organizations
org:write persons POST /v3/organizations
org:read        GET    /v3/organizations/{}
org:write       PATCH  /v3/organizations/{}
org:write       DELETE /v3/organizations/{}
org:write       POST   /v3/organizations/{}/restore

# Storage
org:read        GET    /v3/organizations/{}/storage

# Members
org:read        GET    /v3/organizations/{}/members
org:read        GET    /v3/organizations/{}/members/{}
org:write       PATCH  /v3/organizations/{}/members/{}
org:write       DELETE /v3/organizations/{}/members/{}
org:read        GET    /v3/organizations/{}/members/invites
org:write       POST   /v3/organizations/{}/members/invites
org:write       DELETE /v3/organizations/{}/members/invites/{}
org:write       POST   /v3/organizations/{}/members/invites/{}/resend

# Roles
org:read        GET    /v3/organizations/{}/roles
org:write       PUT    /v3/organizations/{}/roles
org:read        GET    /v3/organizations/{}/roles/{}

# Service Users
org:read        GET    /v3/organizations/{}/service-users
org:write       POST   /v3/organizations/{}/service-users
org:read        GET    /v3/organizations/{}/service-users/{}
org:write       PATCH  /v3/organizations/{}/service-users/{}
org:write       DELETE /v3/organizations/{}/service-users/{}
org:read        GET    /v3/organizations/{}/service-users/{}/keys
org:write       POST   /v3/organizations/{}/service-users/{}/keys
org:write       DELETE /v3/organizations/{}/service-users/{}/keys/{}
org:write       POST   /v3/organizations/{}/service-users/{}/keys/{}/rotate

# Groups
org:read        GET    /v3/organizations/{}/groups
org:write       POST   /v3/organizations/{}/groups
org:read        GET    /v3/organizations/{}/groups/{}
org:write       PATCH  /v3/organizations/{}/groups/{}
org:write       DELETE /v3/organizations/{}/groups/{}
org:read        GET    /v3/organizations/{}/groups/{}/members
org:write       PUT    /v3/organizations/{}/groups/{}/members
org:write       POST   /v3/organizations/{}/groups/{}/members
org:write       DELETE /v3/organizations/{}/groups/{}/members
org:read        GET    /v3/organizations/{}/groups/{}/usage

# IP Access List
org:read        GET    /v3/organizations/{}/ip-access-list
org:write       PUT    /v3/organizations/{}/ip-access-list
org:write       POST   /v3/organizations/{}/ip-access-list/entries
org:write       DELETE /v3/organizations/{}/ip-access-list/entries/{}
org:read        GET    /v3/organizations/{}/ip-access-list/check

# Audit Logs
org:read        GET    /v3/organizations/{}/audit-logs
org:read        GET    /v3/organizations/{}/audit-logs/{}
org:read        GET    /v3/organizations/{}/audit-logs/export
org:read        GET    /v3/organizations/{}/audit-logs/verify
org:read        GET    /v3/organizations/{}/audit-logs/actions

# Events
any             GET    /v3/organizations/{}/events/stream

# Webhooks
org:read        GET    /v3/organizations/{}/webhooks
org:write       POST   /v3/organizations/{}/webhooks
org:read        GET    /v3/organizations/{}/webhooks/{}
org:write       PATCH  /v3/organizations/{}/webhooks/{}
org:write       DELETE /v3/organizations/{}/webhooks/{}
org:write       POST   /v3/organizations/{}/webhooks/{}/test
org:write       POST   /v3/organizations/{}/webhooks/{}/rotate-secret
org:read        GET    /v3/organizations/{}/webhooks/{}/deliveries
org:write       POST   /v3/organizations/{}/webhooks/{}/deliveries/{}/redeliver

# Settings
org:read        GET    /v3/organizations/{}/settings
org:read        GET    /v3/organizations/{}/settings/{}
org:write       PUT    /v3/organizations/{}/settings/{}
org:write       DELETE /v3/organizations/{}/settings/{}
org:read        GET    /v3/organizations/{}/settings/{}/schema

# Secrets
secrets:read    GET    /v3/organizations/{}/secrets
secrets:write   POST   /v3/organizations/{}/secrets
secrets:read    GET    /v3/organizations/{}/secrets/{}
secrets:write   PUT    /v3/organizations/{}/secrets/{}
secrets:write   PATCH  /v3/organizations/{}/secrets/{}
secrets:write   DELETE /v3/organizations/{}/secrets/{}
secrets:read    GET    /v3/organizations/{}/secrets/{}/usage

# MCP Servers
plugins:read    GET    /v3/organizations/{}/mcp-servers
plugins:write   POST   /v3/organizations/{}/mcp-servers
plugins:read    GET    /v3/organizations/{}/mcp-servers/{}
plugins:write   PATCH  /v3/organizations/{}/mcp-servers/{}
plugins:write   DELETE /v3/organizations/{}/mcp-servers/{}
plugins:write   PUT    /v3/organizations/{}/mcp-servers/{}/secrets/{}
plugins:write   DELETE /v3/organizations/{}/mcp-servers/{}/secrets/{}
plugins:write   POST   /v3/organizations/{}/mcp-servers/{}/test
plugins:read    GET    /v3/organizations/{}/mcp-servers/{}/tools

# Memory
knowledge:read  GET    /v3/organizations/{}/memory/notes
memory:write    POST   /v3/organizations/{}/memory/notes
knowledge:read  GET    /v3/organizations/{}/memory/notes/{}
memory:write    PATCH  /v3/organizations/{}/memory/notes/{}
memory:write    DELETE /v3/organizations/{}/memory/notes/{}
knowledge:read  GET    /v3/organizations/{}/memory/generated
memory:write    DELETE /v3/organizations/{}/memory/generated
knowledge:read  GET    /v3/organizations/{}/memory/projections

# Git Connections
repos:read      GET    /v3/organizations/{}/git-connections
repos:write     POST   /v3/organizations/{}/git-connections
repos:write     POST   /v3/organizations/{}/git-connections/app-manifests
repos:read      GET    /v3/organizations/{}/git-connections/apps
repos:write     POST   /v3/organizations/{}/git-connections/apps
repos:read      GET    /v3/organizations/{}/git-connections/apps/{}
repos:write     DELETE /v3/organizations/{}/git-connections/apps/{}
repos:write     POST   /v3/organizations/{}/git-connections/apps/{}/rotate-webhook-secret
repos:read      GET    /v3/organizations/{}/git-connections/{}
repos:write     PATCH  /v3/organizations/{}/git-connections/{}
repos:write     DELETE /v3/organizations/{}/git-connections/{}
repos:write     POST   /v3/organizations/{}/git-connections/{}/verify
repos:read      GET    /v3/organizations/{}/git-connections/{}/repositories
repos:write     POST   /v3/organizations/{}/git-connections/{}/rotate-webhook-secret

# Repositories
repos:read      GET    /v3/organizations/{}/repositories
repos:write     POST   /v3/organizations/{}/repositories
repos:read      GET    /v3/organizations/{}/repositories/templates
repos:read      GET    /v3/organizations/{}/repositories/{}
repos:write     PATCH  /v3/organizations/{}/repositories/{}
repos:write     DELETE /v3/organizations/{}/repositories/{}
repos:write     POST   /v3/organizations/{}/repositories/{}/restore
repos:read      GET    /v3/organizations/{}/repositories/{}/branches
repos:read      GET    /v3/organizations/{}/repositories/{}/files
repos:read      GET    /v3/organizations/{}/repositories/{}/index
repos:write     PUT    /v3/organizations/{}/repositories/{}/index
repos:write     DELETE /v3/organizations/{}/repositories/{}/index
repos:read      GET    /v3/organizations/{}/repositories/{}/search
repos:read      GET    /v3/organizations/{}/repositories/{}/statuses
repos:write     POST   /v3/organizations/{}/repositories/{}/statuses
repos:read      GET    /v3/organizations/{}/repositories/{}/wiki
repos:read      GET    /v3/organizations/{}/repositories/{}/wiki/pages/{}
repos:write     POST   /v3/organizations/{}/repositories/{}/wiki/regenerate
repos:read      GET    /v3/organizations/{}/change-requests
repos:read      GET    /v3/organizations/{}/repositories/{}/change-requests
repos:read      GET    /v3/organizations/{}/repositories/{}/change-requests/{}
repos:read      GET    /v3/organizations/{}/repositories/{}/change-requests/{}/diff
repos:read      GET    /v3/organizations/{}/repositories/{}/change-requests/{}/comments
repos:write     POST   /v3/organizations/{}/repositories/{}/change-requests/{}/comments
repos:write     PATCH  /v3/organizations/{}/repositories/{}/change-requests/{}/comments/{}
repos:write     POST   /v3/organizations/{}/repositories/{}/change-requests/{}/merge
repos:write     POST   /v3/organizations/{}/repositories/{}/change-requests/{}/close

# Search
any             GET    /v3/organizations/{}/search

# Views
any             GET    /v3/organizations/{}/views
run             POST   /v3/organizations/{}/views
any             GET    /v3/organizations/{}/views/{}
run             DELETE /v3/organizations/{}/views/{}

# Models
run             GET    /v3/organizations/{}/models

# Sessions
run sessions    POST   /v3/organizations/{}/sessions
sessions:read   GET    /v3/organizations/{}/sessions
sessions:read   GET    /v3/organizations/{}/sessions/counts
sessions:read   GET    /v3/organizations/{}/sessions/queue
sessions:read sessions GET /v3/organizations/{}/sessions/{}
run             PATCH  /v3/organizations/{}/sessions/{}
run             DELETE /v3/organizations/{}/sessions/{}
run             POST   /v3/organizations/{}/sessions/bulk
sessions:read persons PUT /v3/organizations/{}/sessions/{}/read
run             POST   /v3/organizations/{}/sessions/{}/messages
sessions:read sessions GET /v3/organizations/{}/sessions/{}/messages
run             DELETE /v3/organizations/{}/sessions/{}/messages/{}
sessions:read sessions GET /v3/organizations/{}/sessions/{}/events
sessions:read sessions GET /v3/organizations/{}/sessions/{}/events/stream
sessions:read sessions GET /v3/organizations/{}/sessions/{}/outline
sessions:read sessions GET /v3/organizations/{}/sessions/{}/checkpoints
sessions:read sessions GET /v3/organizations/{}/sessions/{}/insights
sessions:read sessions GET /v3/organizations/{}/sessions/{}/transcript
run             POST   /v3/organizations/{}/sessions/{}/fork
run             POST   /v3/organizations/{}/sessions/{}/interrupt
run             POST   /v3/organizations/{}/sessions/{}/suspend
run             POST   /v3/organizations/{}/sessions/{}/resume
run             POST   /v3/organizations/{}/sessions/{}/cancel
run             POST   /v3/organizations/{}/sessions/{}/archive
run             POST   /v3/organizations/{}/sessions/{}/unarchive
sessions:read sessions GET /v3/organizations/{}/sessions/{}/approvals
run             POST   /v3/organizations/{}/sessions/{}/approvals/{}
sessions:read sessions GET /v3/organizations/{}/sessions/{}/diff
sessions:read sessions GET /v3/organizations/{}/sessions/{}/patch
sessions:read sessions GET /v3/organizations/{}/sessions/{}/context
sessions:read sessions GET /v3/organizations/{}/sessions/{}/artifacts
sessions:read sessions GET /v3/organizations/{}/sessions/{}/artifacts/{}
sessions:read sessions GET /v3/organizations/{}/sessions/{}/change-requests
run             POST   /v3/organizations/{}/sessions/{}/change-requests
sessions:read sessions GET /v3/organizations/{}/sessions/{}/children
run             GET    /v3/organizations/{}/sessions/{}/terminal
run             GET    /v3/organizations/{}/sessions/{}/preview/{}
sessions:read sessions GET /v3/organizations/{}/sessions/{}/usage

# Following change requests until they merge
repos:read      GET    /v3/organizations/{}/repositories/{}/follow
repos:write     PUT    /v3/organizations/{}/repositories/{}/follow
repos:read      GET    /v3/organizations/{}/repositories/{}/change-requests/{}/follow
repos:write     POST   /v3/organizations/{}/repositories/{}/change-requests/{}/follow
# Change request reviews
reviews:read  GET    /v3/organizations/{}/reviews
reviews:write POST   /v3/organizations/{}/reviews
reviews:read  GET    /v3/organizations/{}/reviews/{}
reviews:write POST   /v3/organizations/{}/reviews/{}/cancel
reviews:write POST   /v3/organizations/{}/reviews/{}/retry
reviews:read  GET    /v3/organizations/{}/reviews/{}/findings
reviews:read  GET    /v3/organizations/{}/reviews/{}/findings/{}
reviews:write PATCH  /v3/organizations/{}/reviews/{}/findings/{}
reviews:write run POST /v3/organizations/{}/reviews/{}/findings/{}/fix
reviews:read  GET    /v3/organizations/{}/reviews/policies/{}
reviews:write PUT    /v3/organizations/{}/reviews/policies/{}

# Guardrails
guardrails:read  GET    /v3/organizations/{}/guardrails
guardrails:read  GET    /v3/organizations/{}/guardrails/default
guardrails:write PUT    /v3/organizations/{}/guardrails/default
guardrails:read  GET    /v3/organizations/{}/guardrails/effective
guardrails:write POST   /v3/organizations/{}/guardrails/evaluate
guardrails:read  GET    /v3/organizations/{}/guardrails/{}
guardrails:write PUT    /v3/organizations/{}/guardrails/{}
guardrails:write DELETE /v3/organizations/{}/guardrails/{}
guardrails:read  GET    /v3/organizations/{}/guardrails/violations
guardrails:read  GET    /v3/organizations/{}/guardrails/violations/{}
guardrails:write POST   /v3/organizations/{}/guardrails/violations/{}/acknowledge

# Attachments
attachments:read  GET    /v3/organizations/{}/attachments
attachments:write POST   /v3/organizations/{}/attachments
attachments:read  GET    /v3/organizations/{}/attachments/{}
attachments:write DELETE /v3/organizations/{}/attachments/{}
attachments:read  GET    /v3/organizations/{}/attachments/{}/download
none              GET    /v3/attachments/downloads/{}

# Knowledge
knowledge:read  GET    /v3/organizations/{}/knowledge/notes
memory:write    POST   /v3/organizations/{}/knowledge/notes
knowledge:read  GET    /v3/organizations/{}/knowledge/notes/{}
memory:write    PUT    /v3/organizations/{}/knowledge/notes/{}
memory:write    PATCH  /v3/organizations/{}/knowledge/notes/{}
memory:write    DELETE /v3/organizations/{}/knowledge/notes/{}
knowledge:read  GET    /v3/organizations/{}/knowledge/notes/{}/versions
memory:write    POST   /v3/organizations/{}/knowledge/notes/{}/versions/{}/restore
knowledge:read  GET    /v3/organizations/{}/knowledge/search
knowledge:read  POST   /v3/organizations/{}/knowledge/search
knowledge:read  GET    /v3/organizations/{}/knowledge/suggestions
memory:write    POST   /v3/organizations/{}/knowledge/suggestions/{}/accept
memory:write    POST   /v3/organizations/{}/knowledge/suggestions/{}/dismiss
knowledge:read  GET    /v3/organizations/{}/knowledge/export
memory:write    POST   /v3/organizations/{}/knowledge/import

# Automations
sessions:read   GET    /v3/organizations/{}/automations
run             POST   /v3/organizations/{}/automations
run             POST   /v3/organizations/{}/automations/validate
sessions:read   GET    /v3/organizations/{}/automations/{}
run             PATCH  /v3/organizations/{}/automations/{}
run             DELETE /v3/organizations/{}/automations/{}
run             POST   /v3/organizations/{}/automations/{}/pause
run             POST   /v3/organizations/{}/automations/{}/resume
run             POST   /v3/organizations/{}/automations/{}/rotate-secret
run             POST   /v3/organizations/{}/automations/{}/trigger
none            POST   /v3/hooks/{}
sessions:read   GET    /v3/organizations/{}/automations/{}/runs
sessions:read   GET    /v3/organizations/{}/automations/runs/{}
sessions:read   GET    /v3/organizations/{}/automations/{}/executor
run             POST   /v3/organizations/{}/automations/{}/executor
run             POST   /v3/organizations/{}/automations/runs/claim
run             POST   /v3/organizations/{}/automations/runs/{}/cancel
run             POST   /v3/organizations/{}/automations/runs/{}/retry
run             POST   /automations/runs/{}/callback

# Skills
plugins:read    GET    /v3/organizations/{}/skills
plugins:write   POST   /v3/organizations/{}/skills
plugins:read    GET    /v3/organizations/{}/skills/{}
plugins:write   PATCH  /v3/organizations/{}/skills/{}
plugins:write   DELETE /v3/organizations/{}/skills/{}
plugins:read    GET    /v3/organizations/{}/skills/{}/revisions
plugins:read    GET    /v3/organizations/{}/skills/{}/files/{}
plugins:write   PUT    /v3/organizations/{}/skills/{}/files/{}
plugins:write   POST   /v3/organizations/{}/skills/validate
plugins:write   POST   /v3/organizations/{}/skills/import
plugins:read    GET    /v3/organizations/{}/skills/resolve
plugins:read    POST   /v3/organizations/{}/skills/resolve

# Blueprints
org:read        GET    /v3/organizations/{}/blueprints
org:read        GET    /v3/organizations/{}/blueprints/{}
org:read        GET    /v3/organizations/{}/blueprints/{}/versions
org:read        GET    /v3/organizations/{}/blueprints/export
org:read        POST   /v3/organizations/{}/blueprints/diff

# Consumption
analytics:read  GET    /v3/organizations/{}/consumption/daily
analytics:read  GET    /v3/organizations/{}/consumption/daily/users/{}
analytics:read  GET    /v3/organizations/{}/consumption/daily/service-users/{}
analytics:read  GET    /v3/organizations/{}/consumption/daily/sessions/{}
analytics:read  GET    /v3/organizations/{}/consumption/daily/groups/{}
analytics:read  GET    /v3/organizations/{}/consumption/cycles
analytics:read  GET    /v3/organizations/{}/consumption/cycles/{}/export
analytics:read  GET    /v3/organizations/{}/consumption/prices

# Metrics
analytics:read  GET    /v3/organizations/{}/metrics/summary
analytics:read  GET    /v3/organizations/{}/metrics/sessions
analytics:read  GET    /v3/organizations/{}/metrics/change-requests
analytics:read  GET    /v3/organizations/{}/metrics/reviews
analytics:read  GET    /v3/organizations/{}/metrics/usage
analytics:read  GET    /v3/organizations/{}/metrics/active-users
analytics:read  GET    /v3/organizations/{}/metrics/automations

# The unversioned operations
org:read        GET    /agents
org:write       POST   /agents
org:read        GET    /agents/runtimes
org:read        GET    /agents/{}
org:write       PATCH  /agents/{}
org:write       DELETE /agents/{}
org:read        GET    /apps
org:write       POST   /apps
org:write       DELETE /apps/{}
org:read        GET    /apps/{}/keys
org:write       POST   /apps/{}/keys
org:write       DELETE /apps/{}/keys/{}
run             POST   /browser/sessions
run             GET    /browser/sessions/{}
run             DELETE /browser/sessions/{}
run             POST   /browser/navigate
run             POST   /browser/click
run             POST   /browser/type
run             POST   /browser/content
run             POST   /browser/screenshot
any persons     GET    /session/mcp-token
any persons     POST   /session/mcp-token
any persons     DELETE /session/mcp-token
`;

/** By `METHOD /path/{}`. */
export const contract: ReadonlyMap<string, Access> = new Map(
  table
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const words = line.split(/ +/);
      const [method = '', path = ''] = words.slice(-2);
      return [`${method} ${path}`, accessOf(words.slice(0, -2))] as const;
    }),
);

function accessOf([scope = '', ...marks]: string[]): Access {
  return {
    scope: scopeNamed(scope),
    also: marks.find((mark) => isScope(mark)),
    persons: marks.includes('persons'),
    sessions: marks.includes('sessions') || scope === 'none',
  };
}

function scopeNamed(word: string): Access['scope'] {
  if (word === 'any' || word === 'none' || isScope(word)) return word;
  throw new Error(`${word} is no scope.`);
}
