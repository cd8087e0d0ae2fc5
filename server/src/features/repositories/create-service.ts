import type { HostedRepository } from '../../adapters/source-control/git-host.ts';
import { largestImportBytes } from '../../git/bare.ts';
import { DiskFull, TooLarge } from '../../git/copy-limits.ts';
import type { FirstCommit } from '../../git/first-commit.ts';
import { requireBranchName } from '../../git/names.ts';
import type { GitRemote } from '../../git/remote.ts';
import type { Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { shownBytes } from '../../lib/bytes.ts';
import { AppError } from '../../lib/errors.ts';
import { fieldError } from '../../lib/field-error.ts';
import { newId } from '../../lib/ids.ts';
import { mutate } from '../../mutation/mutate.ts';
import { connectionTo } from '../git-connections/service.ts';
import { countNewRepository } from '../storage/ledger-service.ts';
import { storageFull } from '../storage/full.ts';
import { diskText, requireDisk, requireStorage, type Storage } from '../storage/quota-service.ts';
import { authorOf } from './author.ts';
import { connectRepository, exists, newRow, type ConnectContext } from './connect-service.ts';
import type { CreateRepository } from './schemas.ts';
import { toApiShape } from './service.ts';
import { findRepositories, insertRepository } from './store.ts';
import { templateNames, templates, type TemplateName } from './templates.ts';
import { importTurns } from './turns.ts';
import { discardNew } from './unrecorded-service.ts';
import { lockNew } from './unrecorded-store.ts';
import { builtInProvider } from '../../lib/providers.ts';

type CreateContext = ConnectContext & Pick<Context, 'gitHost' | 'importRemote' | 'config' | 'disk' | 'log'>;

const importTimeoutMs = 10 * 60_000;
const lateText = 'Recording the new repository took too long, so it was removed. Try again.';

/** Creates a repository on the built-in host, or connects one of another host. */
export function createRepository(ctx: CreateContext, caller: Caller, input: CreateRepository, signal?: AbortSignal) {
  return input.provider === builtInProvider
    ? hostRepository(ctx, caller, input, signal)
    : connectRepository(ctx, caller, input);
}

/**
 * Creates a repository on the built-in host: empty, from a template, or as a copy of `import_url`, which is cloned before the
 * response.
 * Throws 402 `budget_exceeded` if the organization's storage is full.
 */
async function hostRepository(ctx: CreateContext, caller: Caller, input: CreateRepository, signal?: AbortSignal) {
  const orgId = caller.organization.id;
  const now = ctx.clock.now();
  requireLocalName(input.repo);
  // Invalid input is reported before conflicts.
  if (input.default_branch !== undefined) requireBranchName(input.default_branch, '/default_branch');
  if (input.template !== undefined && input.import_url !== undefined)
    throw fieldError('/template', (name) => `and ${name('/import_url')} exclude each other: send one of them.`);
  const first = input.template === undefined ? undefined : firstCommitOf(input.template, caller, now);
  const remote = input.import_url === undefined ? undefined : await ctx.importRemote(input.import_url);
  const connection = await connectionTo(ctx, orgId, builtInProvider, input.connection_id);
  requireDisk(ctx);
  const storage = await requireStorage(ctx, ctx.db.kysely, orgId);
  const [known] = await findRepositories(ctx.db.kysely, orgId, input.repo, input.provider);
  if (known !== undefined) throw exists(known.repo);
  const id = newId('repo', now.getTime());
  const hosted = ctx.gitHost.open(orgId, id);
  const make = () => provision(ctx, hosted, { remote, first, wanted: input.default_branch, storage, signal });
  const defaultBranch = await (remote === undefined ? make() : importTurns.run(orgId, make));
  try {
    await countNewRepository(ctx, orgId, id, await hosted.sizeBytes());
    const created = await mutate(ctx, caller, async (trx, audit) => {
      await lockNew(trx, id);
      if (!hosted.exists()) throw new AppError('capacity_unavailable', lateText);
      const made = { id, connection_id: connection.id, default_branch: defaultBranch };
      const row = await insertRepository(trx, newRow(caller, input, made, now));
      if (row === undefined) throw exists(input.repo);
      audit({
        action: 'repository.create',
        resource: { type: 'repository', id },
        changes: { provider: input.provider, repo: input.repo },
      });
      return toApiShape(ctx, caller, row);
    });
    // If that fails, the next purge does it.
    await hosted.noteRecorded().catch(() => undefined);
    return created;
  } catch (error) {
    // It may be recorded nevertheless, if the connection to the database broke while it answered.
    await discardNew(ctx, orgId, id);
    throw error;
  }
}

/** Lists the bundled projects. */
export function listTemplates() {
  const items = templateNames.map((name) => {
    const { description, repo, prompt, agent } = templates[name];
    const runtime_config = { steps: agent.steps.map((run) => ({ run })), summary: agent.summary };
    const first_session = { prompt, agent: { name: agent.name, runtime: 'script' as const, runtime_config } };
    return { name, description, repo, first_session };
  });
  return { items };
}

function firstCommitOf(template: TemplateName, { principal }: Caller, at: Date): FirstCommit {
  const { files, message } = templates[template];
  return { files, message, author: authorOf(principal), at };
}

/** Rejects deeper paths, and names that end with the `.git` of clone URLs. */
function requireLocalName(repo: string): void {
  if (repo.split('/').length !== 2)
    throw fieldError('/repo', 'must be owner/name: a repository of the built-in git host has exactly one /');
  if (/\.git$/i.test(repo)) throw fieldError('/repo', 'must be owner/name without .git, which only its clone URL has');
}

interface Wanted {
  remote: GitRemote | undefined;
  /** The only commit of one that is not imported; undefined for an empty one. */
  first: FirstCommit | undefined;
  /** The default branch. */
  wanted: string | undefined;
  storage: Storage;
  signal: AbortSignal | undefined;
}

/** Creates the bare repository and returns its default branch; removes everything if that fails. */
async function provision(
  ctx: Pick<Context, 'config'>,
  hosted: HostedRepository,
  { remote, first, wanted, storage, signal }: Wanted,
): Promise<string> {
  if (remote === undefined) {
    try {
      await hosted.create(wanted ?? 'main', first);
    } catch (error) {
      await hosted.remove();
      throw error;
    }
    return wanted ?? 'main';
  }
  const imported = await importWithin(ctx, hosted, remote, { storage, signal });
  if (wanted === undefined) return imported.defaultBranch;
  if ((await hosted.resolve(`refs/heads/${wanted}`)) !== undefined) {
    await hosted.setDefaultBranch(wanted);
    return wanted;
  }
  await hosted.remove();
  throw fieldError('/default_branch', `: the imported repository has no branch ${JSON.stringify(wanted)}.`);
}

/** Throws 400 for a repository that is too large, 402 `budget_exceeded` for one that does not fit, 503 for a full disk. */
async function importWithin(
  { config: { cloneMax, diskReserve } }: Pick<Context, 'config'>,
  hosted: HostedRepository,
  remote: GitRemote,
  { storage: { usedBytes, maxBytes }, signal }: Pick<Wanted, 'storage' | 'signal'>,
): Promise<{ defaultBranch: string }> {
  const leftBytes = maxBytes - usedBytes;
  const largestBytes = Math.min(largestImportBytes, cloneMax || Infinity);
  const limits = { mostBytes: Math.min(leftBytes, largestBytes), leaveBytes: diskReserve / 2 };
  const options = { timeoutMs: importTimeoutMs, ...limits, ...(signal === undefined ? {} : { signal }) };
  return hosted.import(remote, options).catch((error: unknown) => {
    if (error instanceof DiskFull) throw new AppError('capacity_unavailable', diskText);
    if (!(error instanceof TooLarge)) throw error;
    if (leftBytes < largestBytes) throw storageFull(usedBytes, maxBytes);
    throw fieldError('/import_url', `: ${tooLargeText(largestBytes)}`);
  });
}

function tooLargeText(largestBytes: number): string {
  return (
    `the repository is larger than ${shownBytes(largestBytes)}, the most that is imported. Create a repository without ` +
    '`import_url` and push to it, or connect the one at its git host.'
  );
}
