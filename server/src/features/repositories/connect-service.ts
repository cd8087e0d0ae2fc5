import type { Insertable } from 'kysely';
import { writerOf, type Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { AppError } from '../../lib/errors.ts';
import { fieldError } from '../../lib/field-error.ts';
import { newId } from '../../lib/ids.ts';
import { mutate } from '../../mutation/mutate.ts';
import { noteHostChanged } from '../git-connections/public.ts';
import { refuseHostBranch, requireAtHost } from './at-host.ts';
import type { CreateRepository } from './schemas.ts';
import { toApiShape } from './service.ts';
import { findRepositories, insertRepository } from './store.ts';

export type ConnectContext = Pick<Context, 'db' | 'clock' | 'jobs' | 'baseUrl' | 'sourceControl'>;

/** Connects an existing repository of another git host. Throws 400 unless a connection can reach it. */
export async function connectRepository(ctx: ConnectContext, caller: Caller, input: CreateRepository) {
  const orgId = caller.organization.id;
  const { provider, repo } = input;
  for (const field of ['import_url', 'template'] as const)
    if (input[field] !== undefined)
      throw fieldError(
        `/${field}`,
        `is for new repositories: ${repo} of ${provider} exists, and is connected as it is.`,
      );
  const [known] = await findRepositories(ctx.db.kysely, orgId, repo, provider);
  if (known !== undefined) throw exists(known.repo);
  const now = ctx.clock.now();
  const id = newId('repo', now.getTime());
  const { connection, defaultBranch } = await requireAtHost(ctx, orgId, { id, provider, repo }, input.connection_id);
  const connected = { id, provider, repo, connection_id: connection.id };
  if (input.default_branch !== undefined) await refuseHostBranch(ctx, orgId, connected, input.default_branch);
  return mutate(ctx, caller, async (trx, audit) => {
    const made = {
      id,
      connection_id: connection.id,
      // An empty repository has no branch yet.
      default_branch: input.default_branch ?? (defaultBranch === '' ? 'main' : defaultBranch),
    };
    const row = await insertRepository(trx, newRow(caller, input, made, now));
    if (row === undefined) throw exists(repo);
    await noteHostChanged(ctx, trx, { orgId, connectionId: connection.id }, id);
    audit({
      action: 'repository.create',
      resource: { type: 'repository', id },
      changes: { provider, repo, connection_id: connection.id },
    });
    return toApiShape(ctx, caller, row);
  });
}

/** Returns the row of a new repository. */
export function newRow(
  caller: Caller,
  { provider, repo, environment }: CreateRepository,
  made: { id: string; connection_id: string; default_branch: string },
  now: Date,
): Insertable<DB['repositories']> {
  return {
    ...made,
    org_id: caller.organization.id,
    provider,
    repo,
    setup_command: environment?.setup_command ?? '',
    verify_command: environment?.verify_command ?? '',
    image: environment?.image ?? '',
    environment_written_by: writerOf(caller),
    created_at: now,
    updated_at: now,
  };
}

export function exists(repo: string): AppError {
  return new AppError('repository_exists', `The organization already has a repository ${repo}.`);
}
