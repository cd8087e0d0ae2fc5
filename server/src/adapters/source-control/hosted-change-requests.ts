import type { ChangeRequestContent, NewChangeRequest, ProviderChangeRequest, RepositoryRef } from './port.ts';

/** A change request as the built-in host keeps it: `headSha` is the newest that it was told of. */
export type HostedChangeRequest = Omit<ProviderChangeRequest, 'mergeable' | 'url'>;

export type EndedAs = { state: 'merged'; headSha: string; mergeCommit: string } | { state: 'closed'; headSha: string };

/** Keeps the change requests of the built-in host; each call is atomic. */
export interface HostedChangeRequests {
  /** A head that has an open change request keeps it, and `created` is false. */
  open(
    repository: RepositoryRef,
    input: NewChangeRequest,
  ): Promise<{ changeRequest: HostedChangeRequest; created: boolean }>;
  read(repository: RepositoryRef, number: number): Promise<HostedChangeRequest | undefined>;
  /** Undefined when none of this number is open. */
  update(
    repository: RepositoryRef,
    number: number,
    content: ChangeRequestContent,
  ): Promise<HostedChangeRequest | undefined>;
  /** Ends one that is not merged; undefined when there is none. */
  end(repository: RepositoryRef, number: number, as: EndedAs): Promise<HostedChangeRequest | undefined>;
}
