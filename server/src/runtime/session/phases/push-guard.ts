import { Readable } from 'node:stream';
import {
  checkChange,
  scanContent,
  secretFinding,
  usualScanTime,
  type GuardedRules,
  type ScannedContent,
} from '../../../features/guardrails/public.ts';
import { changedFiles, readBlobs, readChangedFiles, type ChangedFile } from '../../../git/changed-files.ts';
import type { Attempt } from '../attempt/attempt.ts';
import { RunFailed } from '../attempt/control.ts';
import { currentRules, recordFound, type Found } from '../attempt/guardrails.ts';
import type { RepositoryChange } from '../checkpoints/repository-change.ts';
import { blockedDelivery, blockedDeliveryText } from './secret-gate.ts';

/** More text than this is not scanned for secrets, in bytes. */
const maxScannedBytes = 64 * 1024 ** 2;

/** Places of contents: a repository, and for small ones also memory, by id. */
interface Place {
  gitDir: string;
  contents: ReadonlyMap<string, Buffer>;
}

/** Contents that an attempt has scanned, by blob. */
export type ScannedBlobs = Map<string, ScannedContent>;

/**
 * Checks everything that is about to be pushed by the guardrails of its repositories. Returns feedback for the agent, or
 * undefined if it may be pushed. The second time, for an agent that takes no feedback, and for a protected branch it throws
 * RunFailed.
 */
export async function guardPush(
  attempt: Pick<Attempt, 'ctx' | 'run' | 'control' | 'session' | 'driver' | 'secrets' | 'progress' | 'events'>,
  scanned: ScannedBlobs,
  changes: readonly RepositoryChange[],
): Promise<string | undefined> {
  const { session, driver, progress, secrets, events } = attempt;
  if (session.deliver === 'none' || changes.length === 0) return undefined;
  const guarded = await currentRules(attempt);
  const found: Found[] = [];
  for (const change of changes) {
    const one = guarded.find(({ repository }) => repository.id === change.checkout.repositoryId);
    if (one !== undefined) found.push(...(await findInChange(attempt, scanned, change, one)));
  }
  const blocked = found.filter(({ finding }) => finding.action === 'blocked');
  const isRepeated = blockedDelivery(attempt) !== undefined;
  const isHopeless = blocked.some(({ finding }) => finding.rule === 'protected_branches');
  const mayGoOn = driver.capabilities.conversational && progress.round < (session.budget.max_turns ?? Infinity);
  const isFatal = blocked.length > 0 && (isRepeated || isHopeless || !mayGoOn);
  await recordFound(attempt, found, { isFatal });
  for (const { finding } of found)
    if (finding.action === 'warned') events.warn('guardrail_warning', secrets.mask.text(finding.message));
  const [first] = blocked;
  if (first === undefined) return undefined;
  const messages = blocked.map(({ repository, finding }) => `${repository.repo}: ${finding.message}`);
  const problem = secrets.mask.text(`Nothing was pushed: a guardrail does not allow it. ${messages.join(' ')}`);
  progress.endPhase('deliver', { status: 'failed', summary: problem });
  if (isFatal) throw new RunFailed('guardrail', problem, { code: first.finding.rule });
  return blockedDeliveryText(problem);
}

async function findInChange(
  attempt: Pick<Attempt, 'run' | 'control' | 'secrets'>,
  scanned: ScannedBlobs,
  change: RepositoryChange,
  { repository, rules }: GuardedRules,
): Promise<Found[]> {
  const { checkout, commit, diff } = change;
  const { checkpointsPath: gitDir, baseCommit: base, branch } = checkout;
  const signal = attempt.control.lost;
  const read = change.read?.commit === commit ? change.read : undefined;
  const files =
    read === undefined ? await changedFiles(gitDir, base, commit, { signal }) : await readChangedFiles(read.records);
  const findings = await checkChange(rules, {
    branch,
    paths: files.map(({ path }) => path),
    changedFiles: diff.files.length,
    changedLines: diff.additions + diff.deletions,
  });
  if (rules.secret_scan !== 'off') {
    const added = await addedSecrets(attempt, scanned, { gitDir, files, contents: read?.contents ?? new Map() });
    const finding = secretFinding(rules, added);
    if (finding !== undefined) findings.push(finding);
  }
  return findings.map((finding) => ({ repository, finding }));
}

/** Returns what looks like a secret in the new contents, and was in none of the old ones. */
async function addedSecrets(
  attempt: Pick<Attempt, 'run' | 'control' | 'secrets'>,
  scanned: ScannedBlobs,
  { files, ...place }: Place & { files: readonly ChangedFile[] },
) {
  const { mask } = attempt.secrets;
  await scanBlobs(attempt, scanned, place, new Map(files.map(({ newId, path }) => [newId, path])));
  const suspects = files.filter(({ newId }) => (scanned.get(newId)?.places.length ?? 0) > 0);
  // A moved file is a removed and an added one.
  if (suspects.length > 0)
    await scanBlobs(attempt, scanned, place, new Map(files.map(({ oldId, path }) => [oldId, path])));
  const before = new Set(files.flatMap(({ oldId }) => scanned.get(oldId)?.places.map(({ digest }) => digest) ?? []));
  const items = suspects.flatMap(({ newId, path }) =>
    (scanned.get(newId)?.places ?? [])
      .filter(({ digest }) => !before.has(digest))
      .map(({ line, rule }) => `${mask.text(path)}:${line} ${rule}`),
  );
  const partial = files.filter(({ newId }) => scanned.get(newId)?.isPartial === true);
  return { items, partial: partial.map(({ path }) => mask.text(path)) };
}

async function scanBlobs(
  { run, control }: Pick<Attempt, 'run' | 'control'>,
  scanned: ScannedBlobs,
  place: Place,
  paths: ReadonlyMap<string, string>,
): Promise<void> {
  const unseen = [...paths.keys()].filter((id) => id !== '' && !scanned.has(id));
  let left = maxScannedBytes;
  const time = usualScanTime();
  for await (const { id, content } of contentsOf(place, unseen, control.lost)) {
    let isCut = false;
    async function* limited(): AsyncGenerator<Buffer> {
      for await (const chunk of content) {
        left -= chunk.length;
        if (left >= 0) yield chunk;
        else isCut = true;
      }
    }
    const result = await scanContent(run.orgId, paths.get(id) ?? '', limited(), time);
    scanned.set(id, isCut ? { ...result, isPartial: true } : result);
  }
}

/** Yields contents that are at hand, then those that git has to read. */
async function* contentsOf(
  { gitDir, contents }: Place,
  ids: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<{ id: string; content: AsyncIterable<Buffer> }> {
  const missing: string[] = [];
  for (const id of ids) {
    const content = contents.get(id);
    if (content === undefined) missing.push(id);
    else yield { id, content: Readable.from([content]) };
  }
  yield* readBlobs(gitDir, missing, { signal });
}
