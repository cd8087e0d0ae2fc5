import type { RepositoryRef, SourceControl } from '../../adapters/source-control/port.ts';
import type { Context } from '../../app/context.ts';
import type { Actor } from '../../caller.ts';
import type { ChangeRequestRow, MergePlace } from '../repositories/public.ts';
import type { RepositoryRow } from '../repositories/service.ts';

export type ActContext = Pick<Context, 'db' | 'clock' | 'jobs' | 'config' | 'baseUrl' | 'log' | 'sourceControl'>;

/** A change request with everything that acting on it needs. */
export interface Subject {
  organization: Actor['organization'];
  repository: RepositoryRow;
  change: ChangeRequestRow;
  sessionId: string;
  ref: RepositoryRef;
  source: SourceControl;
}

/** Names a change request to what lets its host merge. */
export function mergePlace({ repository: { provider }, ref, change: { number } }: Subject): MergePlace {
  return { provider, ref, number };
}
