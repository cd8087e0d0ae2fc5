import type { AuthenticatedCaller, RequestFacts } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { organizationRequired } from '../../http/cookie.ts';
import type { SignedInRequest } from '../../http/authenticate.ts';
import { AppError, notFound, type ErrorCode } from '../../lib/errors.ts';
import { scopeSet } from '../../lib/scopes.ts';
import { createUseNotes } from '../../lib/use-notes.ts';
import { createAddressGuard, type AddressGuard } from '../ip-access-list/guard.ts';
import { hashToken, idleMs } from './sign-in-service.ts';
import { findSignIn, touchMembers, touchSignIns, type MemberUse, type SignInRow, type SignInUse } from './store.ts';

/** Resolves sign-in cookies: looked up for each request, so that sign-outs take effect at once on every process. */
export interface CookieAuthenticator {
  authenticate(
    token: string,
    request: SignedInRequest,
  ): Promise<{ id: string; userId: string; caller: () => Promise<AuthenticatedCaller> }>;
  /** The same for the sign-in with an id, for a ticket that was issued for it. */
  authenticateId(id: string, request: SignedInRequest): ReturnType<CookieAuthenticator['authenticate']>;
  /** Writes pending last-use times. */
  close(): Promise<void>;
}

/** Creates the authenticator; `refused` is called when an organization's IP access list denies the address. */
export function createCookieAuthenticator(
  ctx: Pick<Context, 'db' | 'clock' | 'log'>,
  refused: (caller: AuthenticatedCaller, code: ErrorCode) => void,
): CookieAuthenticator {
  const guard = createAddressGuard(ctx);
  const signIns = createUseNotes<SignInUse>(ctx.log, 'sign-ins', (uses) => touchSignIns(ctx.db, uses));
  const members = createUseNotes<MemberUse>(ctx.log, 'memberships', (uses) => touchMembers(ctx.db, uses));
  const note = ({ id, org_id: orgId, user_id: userId, ...last }: SignInRow, at: Date): void => {
    signIns.note(id, { id, at }, last.last_used_at);
    if (orgId !== null) members.note(`${orgId} ${userId}`, { orgId, userId, at }, last.last_active_at);
  };
  async function identify(which: { hash: string } | { id: string }, request: SignedInRequest) {
    const wanted = request.organization ?? '';
    // Anything but an id or a slug matches nothing, and the database cannot store U+0000.
    const isPossible = /^[\w-]{0,64}$/.test(wanted);
    const rows = await findSignIn(ctx.db, which, isPossible ? wanted : '-');
    const [row] = rows;
    const now = ctx.clock.now();
    if (row === undefined || row.expires_at <= now || now.getTime() - row.last_used_at.getTime() >= idleMs)
      throw new AppError('unauthorized', 'Your session has expired. Sign in again.');
    return {
      id: row.id,
      userId: row.user_id,
      caller: async () => {
        try {
          const chosen = await choose(rows, request, guard);
          note(chosen, now);
          return callerOf(chosen, request.facts);
        } catch (error) {
          if (error instanceof AppError && error.code === 'ip_not_allowed')
            refused(callerOf(row, request.facts), error.code);
          throw error;
        }
      },
    };
  }
  return {
    authenticate: (token, request) => identify({ hash: hashToken(token) }, request),
    authenticateId: (id, request) => identify({ id }, request),
    async close() {
      await signIns.close();
      await members.close();
    },
  };
}

/** Returns the membership that a request refers to. Throws 400, 403 `ip_not_allowed`, 404 `organization_not_found`. */
async function choose(rows: SignInRow[], request: SignedInRequest, guard: AddressGuard): Promise<SignInRow> {
  const { organization, isPersonal, facts } = request;
  const memberships = rows.filter(({ org_id: id }) => id !== null);
  const [first] = memberships;
  if (first === undefined) {
    if (organization !== undefined) throw notFound('organization', organization);
    throw new AppError('forbidden', 'You are not a member of any organization. Ask an administrator to invite you.');
  }
  if (organization === undefined && memberships.length > 1) {
    if (isPersonal) return firstAllowed(memberships, facts, guard);
    throw organizationRequired(memberships.map(({ org_slug: slug }) => slug));
  }
  await allow(first, facts, guard);
  return first;
}

async function allow(row: SignInRow, { ip }: RequestFacts, guard: AddressGuard): Promise<void> {
  if (row.ip_list_enabled) await guard(row.org_id ?? '', row.ip_list_revision, ip);
}

/** For requests without an organization: denied only if every organization of the user denies the address. */
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

function callerOf(row: SignInRow, request: RequestFacts): AuthenticatedCaller {
  return {
    organization: { id: row.org_id ?? '', slug: row.org_slug, name: row.org_name, state: row.org_state },
    principal: { type: 'user', id: row.user_id, name: row.user_name, email: row.user_email },
    scopes: scopeSet(row.permission),
    permission: row.permission,
    role: row.role,
    credential: {
      kind: 'sign_in',
      id: row.id,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      lastUsedAt: row.last_used_at,
    },
    request,
  };
}
