/** An organization's connection to a provider, which has the credentials. */
export interface ConnectionRef {
  readonly orgId: string;
  readonly connectionId: string;
}

/** A repository of an organization. */
export interface RepositoryRef extends ConnectionRef {
  readonly id: string;
  /** `owner/name`; owners may contain slashes. */
  readonly repo: string;
}

export const mergeMethods = ['merge', 'squash'] as const;
export type MergeMethod = (typeof mergeMethods)[number];
