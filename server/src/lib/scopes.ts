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

/** Few combinations exist, and a set is never changed: one per combination serves every request. */
const scopeSets = new Map<string, ReadonlySet<Scope>>();

/** The scopes of a member (null: of anyone else), cut to those that a key was granted; without `granted` all of them. */
export function scopeSet(permission: Permission | null, granted: readonly string[] = scopes): ReadonlySet<Scope> {
  const name = `${permission ?? ''} ${granted.join(' ')}`;
  const known = scopeSets.get(name);
  if (known !== undefined) return known;
  const allowed = permission === null ? undefined : new Set(scopesOfPermission(permission));
  const set = new Set(granted.filter(isScope).filter((scope) => allowed?.has(scope) ?? true));
  if (scopeSets.size < 10_000) scopeSets.set(name, set);
  return set;
}
