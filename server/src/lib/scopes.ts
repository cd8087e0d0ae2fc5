/** Every capability a key can hold. */
export const scopes = [
  'run',
  'plugins:read',
  'plugins:write',
  'secrets:read',
  'secrets:write',
  'sessions:read',
  'knowledge:read',
  'memory:write',
  'repos:read',
  'repos:write',
  'reviews:read',
  'reviews:write',
  'analytics:read',
  'org:read',
  'org:write',
  'attachments:read',
  'attachments:write',
  'guardrails:read',
  'guardrails:write',
] as const;

export type Scope = (typeof scopes)[number];

export const permissions = ['admin', 'member', 'viewer'] as const;
export type Permission = (typeof permissions)[number];

/** What a member may do in the product itself, beside their permission. */
export const roles = ['pro', 'regular'] as const;
export type Role = (typeof roles)[number];

export function isScope(value: string): value is Scope {
  return scopes.some((scope) => scope === value);
}

/** What a member's permission leaves of a personal key's scopes. */
export function scopesOfPermission(permission: Permission): readonly Scope[] {
  switch (permission) {
    case 'admin':
      return scopes;
    case 'member':
      return scopes.filter((scope) => scope !== 'org:write' && scope !== 'guardrails:write');
    case 'viewer':
      return scopes.filter((scope) => scope.endsWith(':read'));
  }
}
