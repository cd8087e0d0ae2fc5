import type { Schemas } from '../../lib/api.ts';

export type Scope = Schemas['CreatePersonalKeyRequest']['scopes'][number];

/** A scope, and what who has it may do. */
export interface ScopeWords {
  scope: Scope;
  words: string;
}

/** The scopes of keys, by what they are about. */
export const scopeGroups: readonly { title: string; scopes: readonly ScopeWords[] }[] = [
  {
    title: 'Sessions',
    scopes: [
      { scope: 'run', words: 'start and steer sessions' },
      { scope: 'sessions:read', words: 'read sessions' },
      { scope: 'attachments:read', words: 'read attachments' },
      { scope: 'attachments:write', words: 'add and delete attachments' },
    ],
  },
  {
    title: 'Code',
    scopes: [
      { scope: 'repos:read', words: 'read repositories, clone' },
      { scope: 'repos:write', words: 'change repositories, push, merge' },
      { scope: 'reviews:read', words: 'read reviews' },
      { scope: 'reviews:write', words: 'start and change reviews' },
    ],
  },
  {
    title: 'Context',
    scopes: [
      { scope: 'knowledge:read', words: 'read knowledge and memory' },
      { scope: 'memory:write', words: 'change knowledge and memory' },
      { scope: 'plugins:read', words: 'read skills and MCP servers' },
      { scope: 'plugins:write', words: 'change skills and MCP servers' },
      { scope: 'secrets:read', words: 'read names of secrets' },
      { scope: 'secrets:write', words: 'set and delete secrets' },
    ],
  },
  {
    title: 'Organization',
    scopes: [
      { scope: 'org:read', words: 'read members, settings, audit log' },
      { scope: 'org:write', words: 'administer the organization' },
      { scope: 'analytics:read', words: 'read consumption and metrics' },
      { scope: 'guardrails:read', words: 'read guardrails' },
      { scope: 'guardrails:write', words: 'change guardrails' },
    ],
  },
];

const all = scopeGroups.flatMap(({ scopes }) => scopes.map(({ scope }) => scope));

/** What keys are often for, with the scopes that this takes. */
const presets: readonly { name: string; scopes: readonly Scope[] }[] = [
  { name: 'Read only', scopes: all.filter((scope) => scope.endsWith(':read')) },
  { name: 'Start sessions', scopes: ['run', 'sessions:read', 'attachments:read', 'attachments:write', 'repos:read'] },
  { name: 'Git clone and push', scopes: ['repos:read', 'repos:write'] },
];

/** Returns what a preset grants of the scopes that its maker has. */
function grantable(scopes: readonly Scope[], own: readonly string[]): Scope[] {
  return scopes.filter((scope) => own.includes(scope));
}

/** Returns the presets for a maker: those that they can grant as a whole, none twice, and everything that they may. */
export function presetsFor(own: readonly string[]): readonly { name: string; scopes: Scope[] }[] {
  const everything = { name: 'Everything you may', scopes: grantable(all, own) };
  const whole = presets.filter(({ scopes }) => grantable(scopes, own).length === scopes.length);
  const others = whole.filter(({ scopes }) => scopes.length < everything.scopes.length);
  return [...others.map(({ name, scopes }) => ({ name, scopes: [...scopes] })), everything];
}

/** Returns the preset that a choice is; undefined for a choice of one's own. */
export function presetOf(chosen: readonly Scope[], own: readonly string[]): string | undefined {
  const key = (scopes: readonly string[]) => scopes.toSorted().join(' ');
  return presetsFor(own).find(({ scopes }) => key(scopes) === key(chosen))?.name;
}

interface KeyEnds {
  revoked_at: string | null;
  expires_at: string | null;
}

/** Returns if a key works now, and otherwise why not. */
export function keyState({ revoked_at: revokedAt, expires_at: expiresAt }: KeyEnds, now: Date) {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && new Date(expiresAt) <= now ? 'expired' : 'active';
}
