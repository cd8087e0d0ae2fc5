import type { Caller, RequestFacts } from '../../caller.ts';
import type { Context } from '../../context.ts';
import type { SignedInRequest } from '../../http/authenticate.ts';
import { AppError, notFound, type ErrorCode } from '../../lib/errors.ts';
import { scopesOfPermission, type Permission, type Scope } from '../../lib/scopes.ts';
import { createAddressGuard, type AddressGuard } from '../ip-access-list/guard.ts';
import { hashToken, idleMs } from './sign-in-service.ts';
import { findSignIn, touchSignIns, type SignInRow } from './store.ts';

/** Finds out who holds a cookie: looked up every time, so its end holds at once on every process. */
export interface CookieAuthenticator {
  authenticate(token: string, request: SignedInRequest): Promise<{ id: string; caller: () => Promise<Caller> }>;
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
  let uses = new Map<string, Date>();
  async function flush(): Promise<void> {
    if (uses.size === 0) return;
    const batch = uses;
    uses = new Map();
    await touchSignIns(ctx.db, batch).catch((error: unknown) =>
      ctx.log.warn({ err: error }, 'last use of sign-ins not noted'),
    );
  }
  const timer = setInterval(() => void flush(), flushEveryMs).unref();
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
      if (now.getTime() - row.last_used_at.getTime() > touchAfterMs) uses.set(row.id, now);
      return {
        id: row.id,
        caller: async () => {
          try {
            return callerOf(await choose(rows, request, guard), request.facts);
          } catch (error) {
            if (error instanceof AppError && error.code === 'ip_not_allowed')
              refused(callerOf(row, request.facts), error.code);
            throw error;
          }
        },
      };
    },
    async close() {
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
      lastUsedAt: row.last_used_at,
    },
    isSignIn: true,
    scopes: scopeSet(row.permission),
    permission: row.permission,
    role: row.role,
    request: facts,
  };
}
