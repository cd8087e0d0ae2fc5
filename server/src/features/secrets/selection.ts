import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { mayRunFor, type Writer } from '../../lib/writer.ts';
import type { SecretScope } from './schemas.ts';
import { openBytes, type Selection } from './session-store.ts';

/** Maximum size of a session's values together, in bytes. */
export const maxSessionBytes = 131_072;

const Repositories = Type.Array(Type.Object({ repository_id: Type.String() }));
const Options = Type.Object({
  secret_ids: Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()])),
});

/** The columns of a session's row that decide about its secrets. */
export interface SessionFacts {
  readonly created_by_type: string;
  readonly created_by_id: string;
  readonly repositories: unknown;
  readonly options: unknown;
  /** Someone other than its creator sent it a message. */
  readonly shared: boolean;
}

/** The session's creator, `<type>:<id>`. */
export function creatorOf({
  created_by_type: type,
  created_by_id: id,
}: Pick<SessionFacts, 'created_by_type' | 'created_by_id'>): string {
  return `${type}:${id}`;
}

/** Ids of the secrets chosen for a session; undefined if all apply. */
export function chosenOf({ options }: Pick<SessionFacts, 'options'>): readonly string[] | undefined {
  return Value.Check(Options, options) ? (options.secret_ids ?? undefined) : undefined;
}

/** Returns the secrets that a session may get: its creator's own only while nobody else sent it a message. */
export function selectionOf(session: SessionFacts): Selection {
  const { repositories } = session;
  return {
    repositoryIds: Value.Check(Repositories, repositories)
      ? repositories.map(({ repository_id: id }) => id).filter((id) => id !== '')
      : [],
    owner: session.shared ? '' : creatorOf(session),
    chosen: chosenOf(session),
  };
}

const nearness: Readonly<Record<SecretScope, number>> = { user: 0, repository: 1, organization: 2 };

/**
 * Picks the nearest secret for each key: the owner's, then those of the repositories in the session's order, then the
 * organization's. Skips keys that are taken.
 */
export function preferred<T extends { key: string; scope: SecretScope; repository_id: string | null }>(
  rows: readonly T[],
  { repositoryIds }: Pick<Selection, 'repositoryIds'>,
  taken: readonly { key: string }[],
): T[] {
  const distance = (row: T): number =>
    nearness[row.scope] * 1_000 + (row.repository_id === null ? 0 : repositoryIds.indexOf(row.repository_id));
  const nearest = new Map<string, T>();
  for (const row of rows.toSorted((one, other) => distance(one) - distance(other)))
    if (!nearest.has(row.key)) nearest.set(row.key, row);
  for (const { key } of taken) nearest.delete(key);
  return [...nearest.values()];
}

/**
 * Tells if someone other than `owner` (`<type>:<id>`) last wrote the value or settings of a shared secret: they decide what a
 * variable in others' sandboxes holds and where it goes.
 */
export function isOfOthers(
  secret: { scope: SecretScope; value_written_by: Writer; traits_written_by: Writer },
  owner: string,
): boolean {
  const writers = [secret.value_written_by, secret.traits_written_by];
  return secret.scope !== 'user' && !writers.every((writer) => mayRunFor(writer, owner));
}

export function mergedBytes(rows: readonly { sealed: Buffer }[]): number {
  return rows.reduce((sum, row) => sum + openBytes(row), 0);
}
