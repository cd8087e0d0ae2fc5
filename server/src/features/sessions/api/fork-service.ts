import type { Transaction } from 'kysely';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Caller } from '../../../caller.ts';
import type { Context } from '../../../app/context.ts';
import type { DB } from '../../../db/types.ts';
import { AppError, ProviderError } from '../../../lib/errors.ts';
import { newId } from '../../../lib/ids.ts';
import { prepareForkedSecrets } from '../../secrets/fork-secrets.ts';
import { requireSteering } from '../../secrets/public.ts';
import { requireStorage } from '../../storage/quota-service.ts';
import { repositoryById } from '../../repositories/service.ts';
import { copyCheckpoint } from '../run/checkpoint-copy.ts';
import type { Part } from '../run/checkpoint-parts.ts';
import type { ForkSession } from '../schemas/fork-schemas.ts';
import { CreateSession, type StoredRepository } from '../schemas/session-schemas.ts';
import { checkpointsAt, copyRecords } from '../store/checkpoint-store.ts';
import { insertCheckpoint, latestCheckpoints } from '../store/run-store.ts';
import { readSession, type SessionRow } from '../store/session-store.ts';
import { createSession, type CreateContext, type Fork } from './create-service.ts';
import { removeBlobs, requireSession } from './service.ts';

type ForkContext = CreateContext & Pick<Context, 'blobs'>;

/** A checkpoint in the fork, whose blobs are copied. */
interface Copy {
  repo: string;
  commit: string;
  base_commit: string;
  blob: string;
  parts: readonly Part[];
  size_bytes: number;
  binaries: boolean;
}

/** The number of times that a copy starts over because the session took another checkpoint in the meantime. */
const maxCopies = 5;

/**
 * Creates a session that goes on from a checkpoint of another one, as its caller's. The newest checkpoint comes with the
 * agent's memory, an earlier one without. Throws 409 `conflict` without a checkpoint, and what creating a session throws.
 */
export async function forkSession(ctx: ForkContext, caller: Caller, id: string, { seq, prompt }: ForkSession) {
  const orgId = caller.organization.id;
  const source = await requireSession(ctx, orgId, id);
  await ctx.db.transaction((trx) => requireSteering(trx, orgId, caller.principal, source));
  await requireStorage(ctx, ctx.db.kysely, orgId);
  const repositories = await currentRepositories(ctx, source);
  const nameOf = new Map(source.repositories.map(({ repo }, index) => [repo, repositories[index]?.repo ?? repo]));
  const forkId = newId('ses', ctx.clock.now().getTime());
  try {
    const { copies, isNewest } = await copyAll(ctx, source, { seq, forkId, nameOf });
    const secrets = await prepareForkedSecrets(ctx, orgId, { source: id, forkId });
    const fork: Fork = {
      id: forkId,
      from: id,
      at: seq ?? source.last_seq,
      waits: prompt === undefined,
      // The agent's memory counts its turns.
      turn: isNewest ? source.turn : 0,
      round: isNewest ? source.round : 0,
      bases: repositories.map((repository) => ({
        ...repository,
        base_commit: copies.find(({ repo }) => repo === repository.repo)?.base_commit ?? repository.base_commit,
      })),
      keep: async (trx) => {
        await keepCheckpoints(ctx, trx, { orgId, forkId, copies });
        await secrets.keep(trx);
        if (isNewest) await copyRecords(trx, id, forkId);
      },
    };
    return await createSession(ctx, caller, {
      ...inputOf(source, repositories, fork.round),
      ...(prompt === undefined ? { prompt: source.prompt, title: source.title } : { prompt }),
      fork,
    });
  } catch (error) {
    // A commit without an answer may have succeeded, and then the copies are needed.
    const isThere = await readSession(ctx.db.kysely, orgId, forkId).catch(() => 'unknown');
    if (isThere === undefined) await removeBlobs(ctx, orgId, forkId);
    throw error;
  }
}

/** The repositories under their current names. One that was deleted stays, and creating the session reports it. */
async function currentRepositories(ctx: ForkContext, { org_id, repositories }: SessionRow) {
  return Promise.all(
    repositories.map(async (repository): Promise<StoredRepository> => {
      const { provider, repository_id, base_ref, base_commit } = repository;
      const row = await repositoryById(ctx, org_id, repository_id);
      return { provider, repo: row?.repo ?? repository.repo, repository_id, base_ref, base_commit, branch: '' };
    }),
  );
}

interface Wanted {
  seq: number | undefined;
  forkId: string;
  /** The current name of each repository. */
  nameOf: ReadonlyMap<string, string>;
}

async function copyAll(ctx: ForkContext, source: SessionRow, { seq, forkId, nameOf }: Wanted) {
  const { id, org_id: orgId } = source;
  for (let tries = 1; ; tries += 1) {
    const newest = await latestCheckpoints(ctx.db.kysely, id);
    if (newest.length === 0)
      throw new AppError(
        'conflict',
        'The session has no checkpoint yet. Fork it after its first step, or create a session.',
      );
    const chosen = seq === undefined ? newest : await checkpointsAt(ctx.db.kysely, orgId, id, seq);
    if (chosen.length === 0)
      throw new AppError(
        'conflict',
        `The session has no checkpoint at or before the event ${seq}. Fork from a later one.`,
      );
    const isNewest =
      chosen.every(({ id: one }) => newest.some((other) => other.id === one)) && chosen.length === newest.length;
    const copies: Copy[] = [];
    for (const [index, { repo, commit, base_commit }] of chosen.entries()) {
      const of = newest.find((one) => one.repo === repo);
      const blob = `checkpoints/${orgId}/${forkId}/0-${tries}-${index}`;
      const parts = of === undefined ? undefined : await copyCheckpoint(ctx, orgId, { newest: of, commit, blob });
      if (of === undefined || parts === undefined) break;
      const size_bytes = parts.reduce((sum, part) => sum + part.size_bytes, 0);
      const binaries = of.binaries && commit === of.commit;
      copies.push({ repo: nameOf.get(repo) ?? repo, commit, base_commit, blob, parts, size_bytes, binaries });
    }
    if (copies.length === chosen.length) return { copies, isNewest };
    if (tries === maxCopies)
      throw new ProviderError('The checkpoint of the session is not in the blob store.', { retryable: false });
  }
}

async function keepCheckpoints(
  ctx: Pick<Context, 'clock'>,
  trx: Transaction<DB>,
  { orgId, forkId, copies }: { orgId: string; forkId: string; copies: readonly Copy[] },
): Promise<void> {
  const now = ctx.clock.now();
  for (const { parts, ...copy } of copies)
    await insertCheckpoint(trx, {
      ...copy,
      id: newId('chk', now.getTime()),
      org_id: orgId,
      session_id: forkId,
      turn: 0,
      seq: 0,
      parts: JSON.stringify(parts),
      created_at: now,
    });
}

/** The fields that are stored as they were sent. */
const Options = Type.Partial(
  Type.Pick(CreateSession, [
    'metadata',
    'require_plan_approval',
    'knowledge_ids',
    'secret_ids',
    'skill_ids',
    'mcp_server_ids',
    'structured_output_schema',
    'structured_output_required',
  ]),
);

/** Returns the input of a session like another one, after some rounds of its agent. Its own secrets are not part of it. */
function inputOf(source: SessionRow, repositories: readonly StoredRepository[], round: number) {
  const { agent_id, model, mode, verify_command, deliver, tags, budget, memory_enabled } = source;
  const { max_turns: maxTurns } = budget;
  return {
    ...Value.Parse(Options, Value.Clean(Options, { ...source.options, metadata: source.metadata })),
    repositories: repositories.map(({ provider, repo, base_ref }) => ({ provider, repo, ref: base_ref })),
    agent_id,
    model,
    mode,
    verify_command,
    deliver,
    tags,
    memory_enabled,
    budget: { ...budget, ...(maxTurns === undefined ? {} : { max_turns: maxTurns + round }) },
  };
}
