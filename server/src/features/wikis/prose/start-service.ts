import type { Context } from '../../../app/context.ts';
import type { Caller } from '../../../caller.ts';
import { AppError, messageOf, ProviderError } from '../../../lib/errors.ts';
import { readSteering } from '../../../wiki/steering.ts';
import { agentForSession } from '../../agents/service.ts';
import { callerOf } from '../../automations/actor.ts';
import { modelProblem } from '../../models/service.ts';
import { refOf } from '../../repositories/open-change-request.ts';
import { requireRepository, type RepositoryRow } from '../../repositories/service.ts';
import { createSession } from '../../sessions/api/create-service.ts';
import { noContext } from '../../sessions/api/no-context.ts';
import { mostPages, ProseOutput } from './output.ts';
import { prosePrompt } from './prompt.ts';
import { beginProse, giveUpProse, listUnwritten, lockWiki, type ProseRow } from './store.ts';

export type ProseContext = Pick<
  Context,
  'db' | 'clock' | 'jobs' | 'config' | 'keyRing' | 'runtimes' | 'baseUrl' | 'log' | 'sourceControl'
>;

/** Limits of one session: in tokens, because a model may have no known price. */
const budget = { max_tokens: 3_000_000, max_minutes: 60, max_turns: 3 };
const largestSteering = 256 * 1024;

/** Another session has begun, or no prose is wanted any more. */
class NotWanted extends Error {}

/** Starts the session that writes prose for pages without any, and for stale ones. The wiki says why none was started. */
export async function startProse(
  ctx: ProseContext,
  orgId: string,
  id: string,
  { requested_by, commit_sha: commit }: ProseRow,
): Promise<void> {
  const giveUp = (problem: string) => ctx.db.transaction((trx) => giveUpProse(trx, id, problem));
  const pages = await listUnwritten(ctx.db.kysely, id, mostPages);
  if (pages.length === 0) return giveUp('');
  const problem = await modelProblem(ctx, orgId);
  if (problem !== '') return giveUp(`There is no prose: ${problem}`);
  try {
    const repository = await requireRepository(ctx, orgId, id);
    const caller = await askerOf(ctx, orgId, id, requested_by);
    const session = await sessionOf(ctx, orgId, repository, { commit, pages });
    await createSession(ctx, caller, session, async (trx, sessionId) => {
      const wiki = await lockWiki(trx, id);
      if (wiki?.session_id !== '' || !wiki.wants_prose || wiki.commit_sha !== commit) throw new NotWanted();
      await beginProse(trx, id, { sessionId, commit, slugs: pages.map(({ slug }) => slug) });
    });
  } catch (error) {
    if (error instanceof NotWanted) return;
    const isRefused = error instanceof AppError && error.code !== 'capacity_unavailable';
    if (!isRefused && !(error instanceof ProviderError && !error.retryable)) throw error;
    await giveUp(`No session could be started to write prose: ${messageOf(error)}`);
  }
}

/** Returns the caller for whom the session runs, from `<type>:<id>`. Throws 403 `forbidden`. */
async function askerOf(ctx: ProseContext, orgId: string, id: string, requestedBy: string): Promise<Caller> {
  const [type = '', by = ''] = requestedBy.split(':');
  const created_by_type = type === 'service_user' || type === 'app' ? type : 'user';
  const acting = { id, org_id: orgId, name: 'Wiki', run_as: 'creator', created_by_type, created_by_id: by } as const;
  return callerOf(ctx, acting).catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error;
    throw new AppError('forbidden', 'Who asked for the wiki may not start sessions any more. Generate it again.');
  });
}

async function sessionOf(
  ctx: ProseContext,
  orgId: string,
  repository: RepositoryRow,
  { commit, pages }: { commit: string; pages: Awaited<ReturnType<typeof listUnwritten>> },
) {
  const { provider, repo } = repository;
  const agent = await agentForSession(ctx, orgId, undefined, '');
  // Modules first: what is above them builds on them.
  const leaves = pages.filter(({ kind }) => kind === 'module');
  const above = pages.filter(({ kind }) => kind !== 'module').toReversed();
  const steering = await steeringOf(ctx, orgId, repository, commit);
  return {
    agent_id: agent.id,
    title: `Write the wiki of ${repo}`,
    prompt: prosePrompt({ repo, commit, pages: [...leaves, ...above], steering }),
    repositories: [{ provider, repo, ref: commit }],
    mode: 'ask' as const,
    deliver: 'none' as const,
    ...noContext,
    budget,
    structured_output_schema: { ...ProseOutput },
    structured_output_required: true,
  };
}

/** Reads the steering file of the commit, which the default branch has. */
async function steeringOf(ctx: ProseContext, orgId: string, repository: RepositoryRow, commit: string) {
  const { readTree } = ctx.sourceControl.of(repository.provider);
  const paths = ['.guildhall/wiki.json', '.devin/wiki.json'];
  const tree = await readTree?.(refOf(orgId, repository), commit, paths, paths.length);
  const files = (tree?.files ?? []).filter(({ kind, sizeBytes }) => kind === 'file' && sizeBytes <= largestSteering);
  const contents = await tree?.read(files, paths.length * largestSteering);
  return readSteering(
    files.map(({ path, id }, index) => ({ path, blob: id, text: contents?.[index]?.toString('utf8') ?? '' })),
  );
}
