import type { Actor, Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { countRows } from '../../db/count.ts';
import { AppError } from '../../lib/errors.ts';
import { paginate, type PageQuery } from '../../lib/paging.ts';
import { mutate } from '../../mutation/mutate.ts';
import { requireMatch } from '../../mutation/precondition.ts';
import { repositoryByPrefixedName, requireRepository } from '../repositories/service.ts';
import { checkPatterns } from './pattern-rules.ts';
import { changedRules, holdsAtDispatch, inEffect, mapRules, ruleNames, type Rules } from './rules.ts';
import type { ReplaceGuardrails, RuleSource } from './schemas.ts';
import {
  deleteGuardrailRow,
  guardrailsQuery,
  listGuardrailRows,
  lockGuardrails,
  readGuardrails,
  wakeHeld,
  writeGuardrails,
} from './store.ts';

type GuardrailContext = Pick<Context, 'db' | 'clock'>;
type Stored = Awaited<ReturnType<typeof readGuardrails>>;

/** A repository, or the organization's default. */
interface Subject {
  id: string;
  repo: string;
}

const theDefault: Subject = { id: '', repo: '' };

/** Lists the repositories for which something is set. */
export async function listGuardrails(ctx: Pick<Context, 'db'>, caller: Actor, query: PageQuery) {
  const orgId = caller.organization.id;
  const rows = guardrailsQuery(ctx.db.kysely, orgId);
  const page = await paginate({
    list: 'guardrails',
    filters: { orgId },
    query,
    rows: (after, limit) => listGuardrailRows(rows, after, limit),
    total: () => countRows(ctx.db, rows),
  });
  const { organization } = await readGuardrails(ctx.db.kysely, orgId, '');
  return { ...page, items: page.items.map((row) => toApiShape(row, { organization, repository: row })) };
}

/** Throws 404 `repository_not_found`. */
export async function getGuardrails(ctx: Pick<Context, 'db'>, caller: Actor, repositoryId: string) {
  const orgId = caller.organization.id;
  const subject = await requireRepository(ctx, orgId, repositoryId);
  return toApiShape(subject, await readGuardrails(ctx.db.kysely, orgId, subject.id));
}

export async function getDefaultGuardrails(ctx: Pick<Context, 'db'>, caller: Actor) {
  return toApiShape(theDefault, await readGuardrails(ctx.db.kysely, caller.organization.id, ''));
}

/** Sets the given rules of a repository; it inherits the omitted ones. Throws 404 `repository_not_found`. */
export async function replaceGuardrails(
  ctx: GuardrailContext,
  caller: Caller,
  repositoryId: string,
  input: ReplaceGuardrails,
) {
  return changeGuardrails(ctx, caller, await requireRepository(ctx, caller.organization.id, repositoryId), input);
}

/** Sets the given rules of the organization; the omitted ones get the platform's values. */
export async function replaceDefaultGuardrails(ctx: GuardrailContext, caller: Caller, input: ReplaceGuardrails) {
  return changeGuardrails(ctx, caller, theDefault, input);
}

/** Removes everything that is set for a repository. Throws 404 `repository_not_found`, and `not_found` for the default. */
export async function deleteGuardrails(ctx: GuardrailContext, caller: Caller, repositoryId: string): Promise<null> {
  if (repositoryId === 'default')
    throw new AppError('not_found', 'The default guardrails cannot be deleted. To reset them, replace them with {}.');
  await changeGuardrails(ctx, caller, await requireRepository(ctx, caller.organization.id, repositoryId), undefined);
  return null;
}

async function changeGuardrails(
  ctx: GuardrailContext,
  caller: Caller,
  subject: Subject,
  rules: Partial<Rules> | undefined,
) {
  checkPatterns(rules ?? {});
  const orgId = caller.organization.id;
  const id = subject.id === '' ? orgId : subject.id;
  return mutate(ctx, caller, async (trx, audit) => {
    await lockGuardrails(trx, orgId);
    const before = await readGuardrails(trx, orgId, subject.id);
    await requireMatch(caller, () => toApiShape(subject, before));
    const own = subject.id === '' ? before.organization : before.repository;
    const fields = changedRules(own?.rules ?? {}, rules ?? {});
    const isSame = (own === undefined) === (rules === undefined) && fields.length === 0;
    if (isSame) return toApiShape(subject, before);
    const now = ctx.clock.now();
    if (rules === undefined) await deleteGuardrailRow(trx, orgId, id);
    else
      await writeGuardrails(trx, {
        id,
        org_id: orgId,
        repository_id: subject.id === '' ? null : subject.id,
        rules: JSON.stringify(rules),
        at_dispatch: holdsAtDispatch(rules),
        created_at: now,
        updated_at: now,
      });
    await wakeHeld(trx, orgId, subject.id);
    audit({
      action: rules === undefined ? 'guardrails.delete' : 'guardrails.update',
      resource: { type: 'guardrails', id: subject.id === '' ? 'default' : subject.id },
      changes: { fields, rules: rules ?? {} },
    });
    return toApiShape(subject, await readGuardrails(trx, orgId, subject.id));
  });
}

/** Returns the rules for sessions on a repository, or for those without one. Throws 404 `repository_not_found`. */
export async function getEffectiveGuardrails(ctx: Pick<Context, 'db'>, caller: Actor, repo: string | undefined) {
  const { subject, rules, stored } = await rulesFor(ctx, caller.organization.id, repo);
  const sources = mapRules((name) => sourceOf(stored, name));
  return { repository_id: subject.id, repo: subject.repo, ...rules, sources };
}

/** Returns a repository by its name, with its rules; `''` or undefined for the organization's default. */
export async function rulesFor(ctx: Pick<Context, 'db'>, orgId: string, name: string | undefined) {
  const isDefault = name === undefined || name === '';
  const subject = isDefault ? theDefault : await repositoryByPrefixedName(ctx, orgId, name, '/repo');
  const stored = await readGuardrails(ctx.db.kysely, orgId, subject.id);
  return { subject, stored, rules: inEffect(stored.organization?.rules, stored.repository?.rules) };
}

function sourceOf({ organization, repository }: Stored, name: keyof Rules): RuleSource {
  if (repository?.rules[name] !== undefined) return 'repository';
  return organization?.rules[name] === undefined ? 'platform' : 'organization';
}

function toApiShape({ id, repo }: Subject, stored: Stored) {
  const own = id === '' ? stored.organization : stored.repository;
  const set = own?.rules ?? {};
  return {
    repository_id: id,
    repo,
    ...inEffect(stored.organization?.rules, id === '' ? {} : stored.repository?.rules),
    set_keys: ruleNames.filter((name) => set[name] !== undefined),
    updated_at: own?.updated_at ?? null,
  };
}
