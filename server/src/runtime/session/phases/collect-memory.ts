import { generatedPlaces, presetsOf, type GeneratedPlace } from '../../../features/memory/presets.ts';
import { keepGenerated } from '../../../features/memory/public.ts';
import { summaryPath, withSummary } from '../../../features/memory/summary.ts';
import type { RunEnd } from '../../../features/sessions/run/run-service.ts';
import { messageOf } from '../../../lib/errors.ts';
import type { Attempt } from '../attempt/attempt.ts';
import { hasMemory, repositoryRefs } from '../context/memory.ts';
import type { Workspace } from '../agent/workspace.ts';

/** Limit for one agent's memory: its index and some topics. */
const maxFiles = 20;
const maxFileBytes = 131_072;
const listTimeoutMs = 10_000;

interface GeneratedFile {
  agent: string;
  path: string;
  content: (before: string) => string;
}

/**
 * Collects memory that agents generated in a turn, before its sandbox goes: the built-in agent's summary of a successful
 * turn, and the files that other agents wrote into their own memory. Never rejects.
 */
export async function collectMemory(
  attempt: Attempt,
  workspace: Workspace,
  end: RunEnd,
  summary: string,
): Promise<void> {
  const { ctx, run } = attempt;
  const { status, status_detail } = end;
  if (status !== 'completed' && status_detail !== 'verify_failed') return;
  const places = repositoryRefs(workspace.checkoutSet);
  try {
    if (places.length === 0 || !(await hasMemory(attempt))) return;
    const files = [
      ...(status === 'completed' ? summaryFile(attempt, summary) : []),
      ...(await nativeFiles(attempt, workspace)),
    ];
    for (const place of places) await keepGenerated(ctx, run, place, files);
  } catch (error) {
    ctx.log.warn({ session: run.id, reason: messageOf(error) }, 'failed to store generated memory');
  }
}

/** Returns the summary of an agent that has no memory of its own. */
function summaryFile(
  {
    ctx,
    run,
    agent,
    driver,
    secrets,
    request,
    progress,
  }: Pick<Attempt, 'ctx' | 'run' | 'agent' | 'driver' | 'request' | 'secrets' | 'progress'>,
  summary: string,
): GeneratedFile[] {
  if (!driver.capabilities.summaryIsMemory || summary.trim() === '') return [];
  const masked = secrets.mask.text(summary);
  const entry = { sessionId: run.id, turn: progress.turn, title: request.title, summary: masked, at: ctx.clock.now() };
  return [{ agent: agent.runtime, path: summaryPath, content: (before) => withSummary(before, entry) }];
}

async function nativeFiles(
  attempt: Pick<Attempt, 'control' | 'agent' | 'secrets'>,
  workspace: Workspace,
): Promise<GeneratedFile[]> {
  const { runtime, runtime_config: config } = attempt.agent;
  const places = generatedPlaces(presetsOf(runtime, config));
  const found = await Promise.all(places.map((place) => readFiles(attempt, workspace, place)));
  return found.flat();
}

async function readFiles(
  attempt: Pick<Attempt, 'control' | 'secrets'>,
  { sessionSandbox: { sandbox } }: Workspace,
  place: GeneratedPlace,
): Promise<GeneratedFile[]> {
  const { mask } = attempt.secrets;
  const { exitCode, stdout } = await sandbox.exec({
    command: ['sh', '-c', listScript, sandbox.home, ...place.directories],
    timeoutMs: listTimeoutMs,
    signal: attempt.control.lost,
  });
  if (exitCode !== 0) return [];
  const kept: GeneratedFile[] = [];
  for (const path of stdout.toString('utf8').split('\n')) {
    const name = path.slice(path.lastIndexOf('/') + 1);
    const taken = kept.some((file) => file.path === name);
    if (taken || kept.length === maxFiles || !/^[\w][\w.-]{0,99}\.md$/.test(name) || !place.isOwn(name)) continue;
    const bytes = await sandbox.readFile(`${sandbox.home}/${path}`, { maxBytes: maxFileBytes }).catch(() => undefined);
    const text = bytes === undefined ? undefined : decodeText(bytes);
    if (text === undefined) continue;
    const content = mask.text(place.ownContent(text));
    if (content.trim() !== '') kept.push({ agent: place.agent, path: name, content: () => content });
  }
  return kept;
}

/** Decodes UTF-8 text; undefined for binary content. */
function decodeText(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Lists regular files only and follows no symlink, also not in their directories' paths. */
const listScript = `cd "$0" || exit 0
home=$(pwd -P)
for pattern; do
  for directory in $pattern; do
    [ -d "$directory" ] && [ "$(cd "$directory" && pwd -P)" = "$home/$directory" ] || continue
    find -P "$directory" -maxdepth 1 -type f -name '*.md' -size -${maxFileBytes / 1_024 + 1}k
  done
done | sort | head -n 200`;
