import { isDeepStrictEqual } from 'node:util';
import type { Kysely, Transaction } from 'kysely';
import { writerOf, type Actor } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { changesNothing } from '../../lib/changes.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { writerAfter, type Writer } from '../../lib/writer.ts';
import type { AuditRecorder } from '../../mutation/mutate.ts';
import { digestOf, sizeOf, sorted, type BundleFile } from './bundle.ts';
import { entriesOf } from './repository-skills.ts';
import type { Manifest } from './skill-file.ts';
import {
  copyRevision,
  countSkills,
  insertRevision,
  insertSkill,
  readBundle,
  readEntries,
  readSkill,
  readSkillByName,
  readWriter,
  updateSkillRow,
  type Assignment,
  type SkillRow,
  type StoredSource,
} from './store.ts';

/** The maximum number of skills of an organization. */
export const maxSkills = 500;

interface NewRevision {
  /** True if the author sent all of its files, not just one. */
  whole: boolean;
  files: readonly BundleFile[];
  manifest: Manifest;
  metadata: Record<string, unknown>;
}

/** Undefined values stay unchanged. */
interface SkillSettings {
  enabled: boolean | undefined;
  assignments: Assignment[] | undefined;
}

interface NewSkill extends NewRevision {
  source: StoredSource;
  enabled: boolean;
  assignments: readonly Assignment[];
}

/** The actor of a change, and where to audit it. */
interface Act {
  caller: Actor;
  audit: AuditRecorder;
}

/** Adds a skill; the caller holds the lock on the organization's skills. Throws 409 `conflict`. */
export async function addSkill(ctx: Pick<Context, 'clock'>, trx: Transaction<DB>, act: Act, skill: NewSkill) {
  const orgId = act.caller.organization.id;
  const { name } = skill.manifest;
  await refuseTaken(trx, orgId, name);
  if ((await countSkills(trx, orgId)) >= maxSkills)
    throw new AppError(
      'conflict',
      `Limit reached: an organization can have at most ${maxSkills} skills. Delete one first.`,
    );
  const now = ctx.clock.now();
  const id = newId('skl', now.getTime());
  const row = rowOf(skill);
  const { source, enabled, assignments } = skill;
  await insertSkill(trx, {
    id,
    org_id: orgId,
    ...row,
    source,
    enabled,
    assignments: JSON.stringify(assignments),
    created_at: now,
    updated_at: now,
  });
  await keep(trx, act, { id, revision: 1, now, written_by: writerOf(act.caller) }, skill);
  act.audit({
    action: 'skill.create',
    resource: { type: 'skill', id },
    changes: { name, source, digest: row.digest, enabled, assignments },
  });
  return requireDetail(trx, orgId, id);
}

/**
 * Changes a locked skill: its settings, and with `next` its content. Each change creates a revision, so that `If-Match` protects
 * both; a change without effect creates none. Throws 409 `conflict`.
 */
export async function changeSkill(
  ctx: Pick<Context, 'clock'>,
  trx: Transaction<DB>,
  act: Act,
  before: SkillRow,
  { settings, next }: { settings: SkillSettings; next?: NewRevision | undefined },
): Promise<void> {
  const orgId = act.caller.organization.id;
  const { id } = before;
  const isRevised = next !== undefined && (await revise(ctx, trx, act, before, next));
  if (changesNothing(before, settings)) return;
  const { enabled = before.enabled, assignments = before.assignments } = settings;
  const now = ctx.clock.now();
  const revision = before.revision + 1;
  const row = { enabled, assignments: JSON.stringify(assignments), revision, updated_at: now };
  await updateSkillRow(trx, orgId, id, row);
  if (!isRevised) await copyRevision(trx, before, act.caller.principal, now);
  act.audit({ action: 'skill.update', resource: { type: 'skill', id }, changes: { ...settings, revision } });
}

/** Makes this the newest revision of a locked skill; false if it equals the current one. Throws 409 `conflict`. */
export async function revise(
  ctx: Pick<Context, 'clock'>,
  trx: Transaction<DB>,
  act: Act,
  before: SkillRow,
  next: NewRevision,
): Promise<boolean> {
  const orgId = act.caller.organization.id;
  const { id } = before;
  const row = rowOf(next);
  const isSame =
    isDeepStrictEqual(next.metadata, before.metadata) &&
    isDeepStrictEqual(entriesOf(sorted(next.files)), await readEntries(trx, orgId, id, before.revision));
  const written = (await readWriter(trx, orgId, id, before.revision)) ?? '';
  const written_by = writerAfter(written, writerOf(act.caller), { changes: !isSame, whole: next.whole });
  if (isSame && written_by === written) return false;
  if (row.name !== before.name) await refuseTaken(trx, orgId, row.name);
  const now = ctx.clock.now();
  const revision = before.revision + 1;
  await updateSkillRow(trx, orgId, id, { ...row, revision, updated_at: now });
  await keep(trx, act, { id, revision, now, written_by }, next);
  const changes = { name: row.name, revision, digest: row.digest };
  act.audit({ action: 'skill.revise', resource: { type: 'skill', id }, changes });
  return true;
}

/** Returns the columns of a skill's row that describe its newest revision. */
function rowOf({ files, manifest, metadata }: NewRevision) {
  const { name, description, license } = manifest;
  return {
    name,
    description,
    license,
    digest: digestOf(files),
    metadata: JSON.stringify(metadata),
    file_count: files.length,
    size_bytes: sizeOf(files),
  };
}

async function keep(
  trx: Transaction<DB>,
  { caller }: Act,
  { id, ...facts }: { id: string; revision: number; now: Date; written_by: Writer },
  next: NewRevision,
): Promise<void> {
  const files = sorted(next.files);
  const { name, description, license, digest, metadata } = rowOf(next);
  await insertRevision(trx, {
    skill_id: id,
    revision: facts.revision,
    written_by: facts.written_by,
    org_id: caller.organization.id,
    name,
    description,
    license,
    digest,
    metadata,
    files: JSON.stringify(entriesOf(files)),
    content: Buffer.concat(files.map(({ content }) => content)),
    created_by_type: caller.principal.type,
    created_by_id: caller.principal.id,
    created_at: facts.now,
  });
}

async function refuseTaken(trx: Transaction<DB>, orgId: string, name: string): Promise<void> {
  if ((await readSkillByName(trx, orgId, name)) !== undefined)
    throw new AppError(
      'conflict',
      `A skill named ${name} already exists in this organization. Choose another name, or update that skill.`,
    );
}

/** Returns the files of a revision and their author, also of a deleted skill; undefined once it is purged. */
export async function bundleAt(
  db: Kysely<DB>,
  orgId: string,
  id: string,
  revision: number,
): Promise<{ files: BundleFile[]; writer: Writer } | undefined> {
  const row = await readBundle(db, orgId, id, revision);
  if (row === undefined) return undefined;
  let at = 0;
  const files = row.files.map(({ path, size_bytes: size, executable }) => {
    at += size;
    return { path, executable, content: row.content.subarray(at - size, at) };
  });
  return { files, writer: row.written_by };
}

/** Returns the files of a revision, also of a deleted skill; undefined once it is purged. */
export async function filesAt(
  db: Kysely<DB>,
  orgId: string,
  id: string,
  revision: number,
): Promise<BundleFile[] | undefined> {
  return (await bundleAt(db, orgId, id, revision))?.files;
}

/** Returns a skill with the list of its files. */
export async function detailOf(db: Kysely<DB>, orgId: string, row: SkillRow) {
  return { ...row, files: await readEntries(db, orgId, row.id, row.revision) };
}

/** Throws 404 `skill_not_found`. */
export async function requireDetail(db: Kysely<DB>, orgId: string, id: string) {
  const row = await readSkill(db, orgId, id);
  if (row === undefined) throw notFound('skill', id);
  return detailOf(db, orgId, row);
}
