import type { Transaction } from 'kysely';
import type { HostEvent } from '../../adapters/source-control/collaboration.ts';
import type { DB } from '../../db/types.ts';
import { publish } from '../../outbox/publish.ts';

/** An event about a repository. */
export type RepositoryEvent = Exclude<HostEvent, { type: 'repository' | 'connection' }>;

/** Publishes that something happened at a repository's host. Readers ask the host for the present state. */
export async function publishReceived(
  trx: Transaction<DB>,
  orgId: string,
  repositoryId: string,
  event: Omit<RepositoryEvent, 'repo'> & Partial<RepositoryEvent>,
): Promise<void> {
  await publish(trx, {
    orgId,
    type: 'delivery.received',
    resource: { type: 'repository', id: repositoryId },
    actor: { type: 'system', id: '' },
    data: dataOf(event),
  });
}

function dataOf(event: object) {
  const {
    type = '',
    number = null,
    headSha = '',
    after = '',
    before = '',
    ref = '',
    action = '',
    on = '',
  }: Record<string, unknown> = { ...event };
  return { type, number, head_sha: headSha === '' ? after : headSha, before, ref, action, on };
}
