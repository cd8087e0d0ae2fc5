import type { ChangeRequestContent, NewChangeRequest, ProviderChangeRequest, RepositoryRef } from './port.ts';

/** A change request as stored by the built-in host; `headSha` is the newest known head. */
export type HostedChangeRequest = Omit<ProviderChangeRequest, 'mergeable' | 'isBehind' | 'url' | 'isFromFork'>;

export type EndedAs = { state: 'merged'; headSha: string; mergeCommit: string } | { state: 'closed'; headSha: string };

/** Stores the change requests of the built-in host; each call is atomic. */
export interface HostedChangeRequests {
  /** Returns an existing open change request of the head unchanged, with `created` false. */
  open(
    repository: RepositoryRef,
    input: NewChangeRequest,
  ): Promise<{ changeRequest: HostedChangeRequest; created: boolean }>;
  read(repository: RepositoryRef, number: number): Promise<HostedChangeRequest | undefined>;
  /** Undefined if no change request with this number is open. */
  update(
    repository: RepositoryRef,
    number: number,
    content: ChangeRequestContent,
  ): Promise<HostedChangeRequest | undefined>;
  /** Ends a change request that is not merged; undefined if there is none. */
  end(repository: RepositoryRef, number: number, as: EndedAs): Promise<HostedChangeRequest | undefined>;
}
