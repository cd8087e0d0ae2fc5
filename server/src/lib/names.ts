/** The names that a feature adds to the API. */
export interface NameLists {
  /** Resources: `<resource>_not_found` is an error code. */
  readonly errors?: readonly string[];
  /** Prefixes of ids: `<prefix>_…`. */
  readonly ids?: readonly string[];
  /** Actions of the audit log: `<resource>.<verb>`. */
  readonly audit?: readonly string[];
  /** Types of domain events, besides those of the audit actions: `<resource>.<past tense>`. */
  readonly events?: readonly string[];
}

/**
 * The names of all features. Each adds its own by declaration merging, so that this folder imports none of them, and an
 * undeclared name does not compile.
 */
export interface FeatureNames {
  /** The ids that all features share. */
  http: { readonly ids: readonly ['req'] };
}

type Names<Kind extends keyof NameLists> = {
  [Feature in keyof FeatureNames]: FeatureNames[Feature] extends { readonly [K in Kind]: readonly (infer Name)[] }
    ? Name
    : never;
}[keyof FeatureNames];

export type Resource = Names<'errors'>;
export type IdPrefix = Names<'ids'>;
export type AuditAction = Names<'audit'>;

/** The verbs of a resource's audit log actions: `create` for `group.create`. */
export type AuditVerb<Subject extends string> = AuditAction extends infer Action
  ? Action extends `${Subject}.${infer Verb}`
    ? Verb
    : never
  : never;
