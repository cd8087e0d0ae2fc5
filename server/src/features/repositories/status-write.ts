import type { Transaction } from 'kysely';
import type { PrincipalKind } from '../../caller.ts';
import type { DB } from '../../db/types.ts';
import { changesNothing } from '../../lib/changes.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import type { AuditFact, AuditRecorder } from '../../mutation/mutate.ts';
import type { SetCommitStatus } from './status-schemas.ts';
import { countStatuses, insertStatus, readStatus, updateStatus } from './status-store.ts';
import { lockRepository } from './store.ts';

const maxNames = 1_000;

interface Writing {
  orgId: string;
  repositoryId: string;
  author: { type: PrincipalKind | 'system'; id: string };
  now: Date;
}

/** Writes the status of a commit, and audits it if it changed. Throws 409 `conflict` beyond the limit. */
export async function writeStatus(
  trx: Transaction<DB>,
  { orgId, repositoryId, author, now }: Writing,
  { sha, name, state, description = '', url = '' }: SetCommitStatus,
  audit: AuditRecorder,
) {
  // Locked first, so that two concurrent requests neither insert one name nor exceed the limit.
  if (!(await lockRepository(trx, orgId, repositoryId))) throw notFound('repository', repositoryId);
  const known = await readStatus(trx, orgId, repositoryId, sha, name);
  const change = { state, description, url };
  if (known !== undefined && changesNothing(known, change)) return known;
  if (known === undefined && (await countStatuses(trx, orgId, repositoryId, sha)) >= maxNames)
    throw new AppError('conflict', `Limit reached: a commit can have at most ${maxNames} statuses. Reuse their names.`);
  const status =
    known === undefined
      ? await insertStatus(trx, {
          id: newId('cst', now.getTime()),
          org_id: orgId,
          repository_id: repositoryId,
          sha,
          name,
          ...change,
          author_type: author.type,
          author_id: author.id,
          created_at: now,
          updated_at: now,
        })
      : await updateStatus(trx, known.id, { ...change, updated_at: now });
  audit(factOf(repositoryId, status));
  return status;
}

function factOf(
  repositoryId: string,
  { id, sha, name, state }: { id: string; sha: string; name: string; state: string },
): AuditFact {
  return {
    action: 'commit_status.set',
    resource: { type: 'commit_status', id },
    changes: { repository_id: repositoryId, sha, name, state },
    data: { repository_id: repositoryId, sha, state },
  };
}
