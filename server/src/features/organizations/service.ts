import { randomBytes } from 'node:crypto';
import type { Kysely, Transaction } from 'kysely';
import type { Actor, AuthenticatedCaller, Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { countRows } from '../../db/count.ts';
import type { DB } from '../../db/types.ts';
import { changesNothing } from '../../lib/changes.ts';
import { AppError, noMember, notFound } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { oneLine } from '../../lib/one-line.ts';
import { paginate, type PageQuery } from '../../lib/paging.ts';
import { scopes } from '../../lib/scopes.ts';
import { createDefaultAgent } from '../agents/service.ts';
import { mutate, recordSystemAct, type AuditFact } from '../../mutation/mutate.ts';
import { requireMatch } from '../../mutation/precondition.ts';
import { createLocalConnection } from '../git-connections/service.ts';
import { boundsOf } from '../keys/bounds.ts';
import { holdKey, issueKey, ownerOf } from '../keys/service.ts';
import type { CreateOrganization, UpdateOrganization } from './schemas.ts';
import {
  dropRetiredSlug,
  firstSlug,
  insertMember,
  insertOrganization,
  insertUser,
  lockFirstStart,
  lockOrganization,
  lockMadeOrganizations,
  listMemberships,
  listOrganizationRows,
  organizationsQuery,
  readsRetiredSlug,
  readMemberByEmail,
  readMembership,
  readOrganization,
  readOrganizationByName,
  readOwnerId,
  retireSlug,
  slugIsFree,
  updateOrganizationRow,
} from './store.ts';
import { slugOf } from '../../lib/slug.ts';

type OrganizationContext = Pick<Context, 'db' | 'clock'>;

const retiredSlugMs = 90 * 24 * 3_600_000;

/** Lists every organization of a user; any other key sees its own. */
export async function listOrganizations(ctx: OrganizationContext, caller: Actor, query: PageQuery) {
  const { principal, organization } = caller;
  const of = principal.type === 'user' ? { userId: principal.id } : { orgId: organization.id };
  const rows = organizationsQuery(ctx.db.kysely, of);
  return paginate({
    list: 'organizations',
    filters: of,
    query,
    rows: (after, limit) => listOrganizationRows(rows, after, limit),
    total: () => countRows(ctx.db, rows),
  });
}

export async function getOrganization(ctx: OrganizationContext, caller: Actor) {
  const row = await readOrganization(ctx.db.kysely, caller.organization.id);
  if (row === undefined) throw notFound('organization', caller.organization.id);
  return row;
}

/**
 * Creates an organization with the caller, a user, as its first administrator. Throws 403 `forbidden` if only the operator may
 * do that, and beyond the number that the operator allows; returns a key for it, once, with the permissions of the caller's.
 */
export async function createOrganization(
  ctx: OrganizationContext & Pick<Context, 'config'>,
  caller: AuthenticatedCaller,
  input: CreateOrganization,
) {
  const { principal } = caller;
  const { by, perPerson } = ctx.config.organizations;
  if (by === 'operator')
    throw new AppError('forbidden', 'Only the operator creates organizations here. Ask the operator for one.');
  return mutate(
    ctx,
    caller,
    async (trx, audit) => {
      const now = ctx.clock.now();
      const made = await lockMadeOrganizations(trx, principal.id);
      if (perPerson > 0 && made >= perPerson)
        throw new AppError(
          'forbidden',
          `Limit reached: you have created ${made} organizations, and a user can create at most ${perPerson} here. ` +
            'Delete one first, or ask the operator.',
        );
      const id = newId('org', now.getTime());
      const slug = input.slug ?? (await freeSlug(trx, input.name, id));
      if (!(await slugIsFree(trx, slug, id))) throw slugTaken(slug);
      const organization = await addInitialContent(trx, { id, slug, name: input.name, userId: principal.id, now });
      // Otherwise the caller's key could gain the scopes it lacks in its own organization: with this key, at /v3/self/keys.
      const granted = [...caller.scopes];
      const owner = ownerOf(id, 'user', principal.id);
      const madeBy = await holdKey(trx, caller);
      const issue = { owner, name: 'first key', scopes: granted, ...boundsOf(caller), madeBy, now };
      const { key } = await issueKey(trx, issue);
      audit({
        action: 'organization.create',
        resource: { type: 'organization', id },
        changes: { slug, name: input.name },
        orgId: id,
      });
      return { ...organization, key };
    },
    ['key'],
  );
}

export async function updateOrganization(ctx: OrganizationContext, caller: Caller, input: UpdateOrganization) {
  const { id } = caller.organization;
  return mutate(ctx, caller, async (trx, audit) => {
    const now = ctx.clock.now();
    const before = await lockOrganization(trx, id);
    if (before === undefined) throw notFound('organization', id);
    await requireMatch(caller, () => before);
    if (changesNothing(before, input)) return before;
    if (input.slug !== undefined && input.slug !== before.slug) {
      if (!(await slugIsFree(trx, input.slug, id))) throw slugTaken(input.slug);
      await dropRetiredSlug(trx, input.slug);
      await retireSlug(trx, before.slug, id, new Date(now.getTime() + retiredSlugMs));
    }
    const after = await updateOrganizationRow(trx, id, { ...input, updated_at: now });
    if (after === undefined) throw notFound('organization', id);
    audit({ action: 'organization.update', resource: { type: 'organization', id }, changes: { ...input } });
    return after;
  });
}

/**
 * Bootstraps the installation: the organization `default`, its first user with the permission `admin`, and that user's key.
 * `keep` stores the key for the operator before the commit, so that a crash in between starts over.
 */
export async function bootstrap(
  ctx: OrganizationContext,
  adminEmail: string,
  keep: (key: string) => Promise<void>,
): Promise<{ organization: string; key: string }> {
  return ctx.db.transaction(async (trx) => {
    await lockFirstStart(trx);
    const existing = await firstSlug(trx);
    if (existing !== '') return { organization: existing, key: '' };
    const now = ctx.clock.now();
    const userId = newId('usr', now.getTime());
    const id = newId('org', now.getTime());
    await insertUser(trx, {
      id: userId,
      email: adminEmail,
      name: 'Administrator',
      email_verified_at: now,
      created_at: now,
      updated_at: now,
    });
    await addInitialContent(trx, { id, slug: 'default', name: 'Default', userId, now });
    const owner = ownerOf(id, 'user', userId);
    const { key } = await issueKey(trx, { owner, name: 'administrator key', scopes, now });
    await keep(key);
    return { organization: 'default', key };
  });
}

/** Creates a key with every scope for a member, for the operator. Throws 404 `organization_not_found` and `user_not_found`. */
export async function issueOperatorKey(ctx: OrganizationContext, email: string, organization: string): Promise<string> {
  return ctx.db.transaction(async (trx) => {
    const now = ctx.clock.now();
    await requireOrganizationId(trx, organization);
    const member = await readMemberByEmail(trx, email, organization);
    if (member === undefined) throw noMember(email, organization);
    const owner = ownerOf(member.org_id, 'user', member.user_id);
    const { id, key } = await issueKey(trx, { owner, name: 'issued by the operator', scopes, now });
    const fact: AuditFact = { action: 'key.create', resource: { type: 'key', id }, changes: { owner: member.user_id } };
    await recordSystemAct(trx, member.org_id, 'operator', fact, now);
    return key;
  });
}

/**
 * Creates an organization for the operator, and returns a key with every scope for its first administrator: the user with this
 * e-mail, created if it has no owner.
 */
export async function createOperatorOrganization(
  ctx: OrganizationContext,
  input: { name: string; email: string },
): Promise<{ slug: string; key: string }> {
  const name = oneLine(input.name);
  const email = input.email.trim();
  if (name === '' || name.length > 200) throw new AppError('invalid_request', '--name must have 1 to 200 characters.');
  if (!/^[^\s@]+@[^\s@]+$/.test(email))
    throw new AppError('invalid_request', `--email ${JSON.stringify(email)} must be an e-mail address.`);
  return ctx.db.transaction(async (trx) => {
    const now = ctx.clock.now();
    const id = newId('org', now.getTime());
    const userId = (await readOwnerId(trx, email)) ?? (await createOperatorUser(trx, email, now));
    const slug = await freeSlug(trx, name, id);
    await addInitialContent(trx, { id, slug, name, userId, now });
    const owner = ownerOf(id, 'user', userId);
    const { key } = await issueKey(trx, { owner, name: 'issued by the operator', scopes, now });
    const fact: AuditFact = {
      action: 'organization.create',
      resource: { type: 'organization', id },
      changes: { slug, name },
    };
    await recordSystemAct(trx, id, 'operator', fact, now);
    return { slug, key };
  });
}

/** Creates a user whose e-mail the operator vouches for, without a password yet. */
async function createOperatorUser(trx: Transaction<DB>, email: string, now: Date): Promise<string> {
  const id = newId('usr', now.getTime());
  const person = { id, email, name: email, email_verified_at: now, created_at: now, updated_at: now };
  await insertUser(trx, person);
  return id;
}

/** Creates the initial content of every organization: an administrator, the default agent and the built-in git host. */
async function addInitialContent(
  trx: Transaction<DB>,
  input: { id: string; slug: string; name: string; userId: string; now: Date },
) {
  const { id, slug, name, userId, now } = input;
  const organization = await insertOrganization(trx, { id, slug, name, created_at: now, updated_at: now });
  await insertMember(trx, { org_id: id, user_id: userId, permission: 'admin', source: 'direct', joined_at: now });
  await createDefaultAgent(trx, id, now);
  await createLocalConnection(trx, id, now);
  return organization;
}

/** Derives a slug from a name; a suffix keeps it unique. */
async function freeSlug(trx: Transaction<DB>, name: string, orgId: string): Promise<string> {
  const base = slugOf(name, 32);
  const start = base.length < 3 ? `org-${base}`.replace(/-$/, '') : base;
  if (start.length >= 3 && (await slugIsFree(trx, start, orgId))) return start;
  return `${start}-${randomBytes(3).toString('hex')}`;
}

function slugTaken(slug: string): AppError {
  return new AppError('slug_taken', `The slug ${JSON.stringify(slug)} is taken. Choose another.`);
}

/** Returns a user's membership in the organization with this id or slug. */
export async function findMembership(ctx: Pick<Context, 'db'>, userId: string, organization: string) {
  return readMembership(ctx.db.kysely, userId, organization);
}

/** Returns up to 200 organizations of a user with their permission there; for any other principal its own. */
export async function membershipsOf(ctx: Pick<Context, 'db'>, { principal, organization, permission }: Actor) {
  const { id, slug, name } = organization;
  if (principal.type !== 'user') return [{ id, slug, name, permission }];
  return listMemberships(ctx.db.kysely, principal.id, 200);
}

/** Returns the organization with this id or slug, for requests without a member. */
export async function findOrganization(db: Kysely<DB>, organization: string) {
  return readOrganizationByName(db, organization);
}

/** Returns the id of the organization with this id or slug. Throws 404 `organization_not_found`. */
export async function requireOrganizationId(db: Kysely<DB>, organization: string): Promise<string> {
  const found = await findOrganization(db, organization);
  if (found === undefined) throw notFound('organization', organization);
  return found.id;
}

/** Tells if the organization gave this slug up less than 90 days ago. */
export async function resolvesRetiredSlug(ctx: Pick<Context, 'db'>, orgId: string, slug: string): Promise<boolean> {
  return readsRetiredSlug(ctx.db.kysely, orgId, slug);
}
