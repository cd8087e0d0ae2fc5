/** The capabilities of a key. */
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

/** A member's role in the product, besides the permission. */
export const roles = ['pro', 'regular'] as const;
export type Role = (typeof roles)[number];

export function isScope(value: string): value is Scope {
  return scopes.some((scope) => scope === value);
}

/** Returns the scopes of a personal key that a member's permission allows. */
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

/** Cached: few combinations exist, sets never change, and every request needs one. */
const scopeSets = new Map<string, ReadonlySet<Scope>>();

/**
 * Returns the scopes of a member (null: of any other principal), limited to those granted to the key; all of them without
 * `granted`.
 */
export function scopeSet(permission: Permission | null, granted: readonly string[] = scopes): ReadonlySet<Scope> {
  const name = `${permission ?? ''} ${granted.join(' ')}`;
  const known = scopeSets.get(name);
  if (known !== undefined) return known;
  const allowed = permission === null ? undefined : new Set(scopesOfPermission(permission));
  const set = new Set(granted.filter(isScope).filter((scope) => allowed?.has(scope) ?? true));
  if (scopeSets.size < 10_000) scopeSets.set(name, set);
  return set;
}
