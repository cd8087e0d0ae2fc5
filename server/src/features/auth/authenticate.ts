import type { Caller, RequestFacts } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import type { SignedInRequest } from '../../http/authenticate.ts';
import { AppError, notFound, type ErrorCode } from '../../lib/errors.ts';
import { scopesOfPermission, type Permission, type Scope } from '../../lib/scopes.ts';
import { createAddressGuard, type AddressGuard } from '../ip-access-list/guard.ts';
import { hashToken, idleMs } from './sign-in-service.ts';
import { findSignIn, touchMembers, touchSignIns, type SignInRow } from './store.ts';

/** Finds out who holds a cookie: looked up every time, so its end holds at once on every process. */
export interface CookieAuthenticator {
  authenticate(
    token: string,
    request: SignedInRequest,
  ): Promise<{ id: string; userId: string; caller: () => Promise<Caller> }>;
  /** Writes what is still to be noted of the sign-ins' last use. */
  close(): Promise<void>;
}

const touchAfterMs = 60_000;
const flushEveryMs = 5_000;

/** `refused` is told when an organization's list refuses the address. */
export function createCookieAuthenticator(
  ctx: Pick<Context, 'db' | 'clock' | 'log'>,
  refused: (caller: Caller, code: ErrorCode) => void,
): CookieAuthenticator {
  const guard = createAddressGuard(ctx);
  const notes = createUseNotes(ctx);
  return {
    async authenticate(token, request) {
      const wanted = request.organization ?? '';
      // What is neither an id nor a slug is nobody's, and the database takes no U+0000.
      const isPossible = /^[\w-]{0,64}$/.test(wanted);
      const rows = await findSignIn(ctx.db, hashToken(token), isPossible ? wanted : '-');
      const [row] = rows;
      const now = ctx.clock.now();
      if (row === undefined || row.expires_at <= now || now.getTime() - row.last_used_at.getTime() >= idleMs)
        throw new AppError('unauthorized', 'You are not signed in, or not any more. Sign in again.');
      return {
        id: row.id,
        userId: row.user_id,
        caller: async () => {
          try {
            const chosen = await choose(rows, request, guard);
            notes.note(chosen, now);
            return callerOf(chosen, request.facts);
          } catch (error) {
            if (error instanceof AppError && error.code === 'ip_not_allowed')
              refused(callerOf(row, request.facts), error.code);
            throw error;
          }
        },
      };
    },
    close: () => notes.close(),
  };
}

/** Notes beside the requests when sign-ins were last used, and their people were last in an organization. */
function createUseNotes(ctx: Pick<Context, 'db' | 'log'>) {
  let signIns = new Map<string, Date>();
  let members = new Map<string, { orgId: string; userId: string; at: Date }>();
  async function flush(): Promise<void> {
    const batch = { signIns, members: [...members.values()] };
    signIns = new Map();
    members = new Map();
    try {
      if (batch.signIns.size > 0) await touchSignIns(ctx.db, batch.signIns);
      if (batch.members.length > 0) await touchMembers(ctx.db, batch.members);
    } catch (error) {
      ctx.log.warn({ err: error }, 'last use of sign-ins not noted');
    }
  }
  const timer = setInterval(() => void flush(), flushEveryMs).unref();
  const isOld = (then: Date | null, now: Date): boolean =>
    then === null || now.getTime() - then.getTime() > touchAfterMs;
  return {
    note(row: SignInRow, now: Date): void {
      const { id, org_id: orgId, user_id: userId } = row;
      if (isOld(row.last_used_at, now)) signIns.set(id, now);
      if (orgId !== null && isOld(row.last_active_at, now))
        members.set(`${orgId} ${userId}`, { orgId, userId, at: now });
    },
    async close(): Promise<void> {
      clearInterval(timer);
      await flush();
    },
  };
}

/** The membership that a request means. Throws 400, 403 `ip_not_allowed`, 404 `organization_not_found`. */
async function choose(rows: SignInRow[], request: SignedInRequest, guard: AddressGuard): Promise<SignInRow> {
  const { organization, isPersonal, facts } = request;
  const memberships = rows.filter(({ org_id: id }) => id !== null);
  const [first] = memberships;
  if (first === undefined) {
    if (organization !== undefined) throw notFound('organization', organization);
    throw new AppError('forbidden', 'You belong to no organization here. Ask for an invite.');
  }
  if (organization === undefined && memberships.length > 1) {
    if (isPersonal) return firstAllowed(memberships, facts, guard);
    const slugs = memberships.map(({ org_slug: slug }) => slug).join(', ');
    throw new AppError(
      'invalid_request',
      `header.x-guildhall-organization is required: you belong to ${slugs}. Name one by its id or slug.`,
    );
  }
  await allow(first, facts, guard);
  return first;
}

async function allow(row: SignInRow, { ip }: RequestFacts, guard: AddressGuard): Promise<void> {
  if (row.ip_list_enabled) await guard(row.org_id ?? '', row.ip_list_revision, ip);
}

/** What concerns the person and no organization is refused only where every organization of theirs refuses the address. */
async function firstAllowed(rows: SignInRow[], facts: RequestFacts, guard: AddressGuard): Promise<SignInRow> {
  let refusal: unknown;
  for (const row of rows)
    try {
      await allow(row, facts, guard);
      return row;
    } catch (error) {
      refusal = error;
    }
  throw refusal;
}

const scopeSets = new Map<Permission, ReadonlySet<Scope>>();

function scopeSet(permission: Permission): ReadonlySet<Scope> {
  const set = scopeSets.get(permission) ?? new Set(scopesOfPermission(permission));
  scopeSets.set(permission, set);
  return set;
}

function callerOf(row: SignInRow, facts: RequestFacts): Caller {
  return {
    organization: { id: row.org_id ?? '', slug: row.org_slug, name: row.org_name, state: row.org_state },
    principal: { type: 'user', id: row.user_id, name: row.user_name, email: row.user_email },
    key: {
      id: row.id,
      prefix: '',
      last4: '',
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      ipRanges: [],
      lastUsedAt: row.last_used_at,
    },
    isSignIn: true,
    scopes: scopeSet(row.permission),
    permission: row.permission,
    role: row.role,
    request: facts,
  };
}
