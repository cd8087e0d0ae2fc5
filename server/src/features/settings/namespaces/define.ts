import type { Transaction } from 'kysely';
import type { Static, TSchema } from 'typebox';
import type { Caller } from '../../../caller.ts';
import type { Config } from '../../../config/config.ts';
import type { DB } from '../../../db/types.ts';
import type { SchemaProblem } from '../../../lib/schema-problems.ts';

/** The organization in which a value's references must exist. */
export interface Organization {
  trx: Transaction<DB>;
  orgId: string;
  config: Config;
}

/** One settings namespace. Only `title`, `value`, `enforced` and `example` are required. */
export interface NamespaceDefinition<T extends TSchema, V = Static<T>> {
  /** Its name for readers. */
  title: string;
  /** The schema of the whole value in effect. A PUT may omit a key that has a `default`. */
  value: T;
  /** False if nothing acts on the value yet; it is stored and checked all the same. */
  enforced: boolean;
  /** The body of a PUT, shown in the API reference. */
  example: Record<string, unknown>;
  /** Returns the problems that the schema cannot express. */
  problems?(value: V): SchemaProblem[];
  /** Returns the references in the value to what does not exist in the organization. */
  missing?(organization: Organization, value: V): Promise<SchemaProblem[]>;
  /** Records a change elsewhere, in its transaction. */
  changed?(organization: { trx: Transaction<DB>; orgId: string; now: Date }, before: V, after: V): Promise<void>;
  /** Throws 403 `forbidden` if the caller may not make this change. */
  authorize?(caller: Caller, before: V, after: V): void;
  /** Returns the keys of the organization's secrets that the platform itself uses; `''` is ignored. */
  secrets?(value: V): string[];
  /** Returns the operator's maxima by key. A PUT above one is refused; a default above one is lowered to it. */
  maxima?(config: Pick<Config, 'sandboxMax'>): Readonly<Partial<Record<string, number>>>;
}

/** Declares a settings namespace; an entry in `index.ts` makes it available. */
export function defineNamespace<T extends TSchema>(definition: NamespaceDefinition<T>): NamespaceDefinition<T> {
  return definition;
}
