import { agentDriver } from '../../adapters/agent/drivers.ts';
import { AppError, messageOf, ProviderError } from '../../lib/errors.ts';
import { publish } from '../../outbox/publish.ts';
import { agentForSession } from '../agents/service.ts';
import { requireChangeRequest } from '../repositories/change-request-service.ts';
import { refOf } from '../repositories/open-change-request.ts';
import { requireRepository, type RepositoryRow } from '../repositories/service.ts';
import { createSession } from '../sessions/api/create-service.ts';
import { noContext } from '../sessions/api/no-context.ts';
import { failReview } from './end-service.ts';
import { listDismissedTitles } from './finding-store.ts';
import { lintersAgent } from './linters-agent.ts';
import { ReviewOutput } from './output.ts';
import { policyOf } from './policy-service.ts';
import { hearPeople } from './posting/hear-service.ts';
import { reviewPrompt } from './prompt.ts';
import { reviewerOf, type StartContext } from './reviewer.ts';
import { lockReview, updateReview, type ReviewRow } from './store.ts';

/** Longest `REVIEW.md`, in bytes. */
const maxGuideBytes = 32_768;

/** The review may no longer start; its session is not created. */
class NotStartable extends Error {}

/** Creates the session of a queued review, once. A session that cannot be created fails the review. */
export async function startReview(ctx: StartContext, review: ReviewRow): Promise<void> {
  try {
    const caller = await reviewerOf(ctx, review);
    await hearPeople(ctx, review).catch((error: unknown) => {
      // A review helps without what people said; that it cannot be posted either is said then.
      if (!(error instanceof ProviderError) || error.retryable) throw error;
    });
    const { agentId, ...session } = await sessionOf(ctx, review);
    await createSession(ctx, caller, { ...session, agent_id: agentId }, async (trx, sessionId) => {
      const row = await lockReview(trx, review.id);
      if (row?.status !== 'queued' || row.session_id !== '') throw new NotStartable();
      await updateReview(trx, review.id, { session_id: sessionId, agent_id: agentId, updated_at: ctx.clock.now() });
      await publish(trx, {
        orgId: review.org_id,
        type: 'review.started',
        resource: { type: 'review', id: review.id },
        actor: { type: 'session', id: sessionId },
      });
    });
  } catch (error) {
    if (error instanceof NotStartable) return;
    // The job is tried again where the platform had no capacity, or the git host did not answer.
    const isRefused = error instanceof AppError && error.code !== 'capacity_unavailable';
    if (!isRefused && !(error instanceof ProviderError && !error.retryable)) throw error;
    await ctx.db.transaction((trx) => failReview(ctx, trx, review, messageOf(error)));
  }
}

async function sessionOf(ctx: StartContext, review: ReviewRow) {
  const { org_id: orgId, repository_id, number, base_sha: baseSha, head_sha: headSha } = review;
  const repository = await requireRepository(ctx, orgId, repository_id);
  const change = await requireChangeRequest(ctx, orgId, repository_id, number);
  const policy = await policyOf(ctx.db.kysely, orgId, repository_id);
  const wanted = policy.agent_id === '' ? await lintersAgent(ctx, orgId) : policy.agent_id;
  const agent = await agentForSession(ctx, orgId, wanted, '');
  const guide = await guideOf(ctx, orgId, repository, baseSha);
  const { provider, repo } = repository;
  return {
    agentId: agent.id,
    origin: 'review' as const,
    title: `Review ${repo}#${number}`,
    prompt: reviewPrompt({
      repo,
      change,
      baseSha,
      headSha,
      instructions: [guide, policy.instructions, review.instructions],
      dismissed: await listDismissedTitles(ctx.db.kysely, change.id),
    }),
    repositories: [{ provider, repo, ref: headSha }],
    mode: agentDriver(agent.runtime).capabilities.modes.includes('ask') ? ('ask' as const) : ('build' as const),
    deliver: 'none' as const,
    // What the author of the change wrote runs here, and the author may be anybody.
    ...noContext,
    structured_output_schema: { ...ReviewOutput },
    structured_output_required: true,
  };
}

/** Reads `REVIEW.md` of the base commit, so that a change cannot write its reviewer's instructions; `''` for none. */
async function guideOf(ctx: StartContext, orgId: string, repository: RepositoryRow, baseSha: string): Promise<string> {
  const { readTree } = ctx.sourceControl.of(repository.provider);
  const tree = await readTree?.(refOf(orgId, repository), baseSha, ['REVIEW.md'], 1);
  const file = tree?.files.find(
    ({ path, kind, sizeBytes }) => path === 'REVIEW.md' && kind !== 'link' && sizeBytes <= maxGuideBytes,
  );
  if (tree === undefined || file === undefined) return '';
  const [content] = await tree.read([file], maxGuideBytes);
  return content?.toString('utf8').replaceAll('\0', '\u{fffd}') ?? '';
}
