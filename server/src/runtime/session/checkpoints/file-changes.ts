import { filesBetween, type FileChange } from '../../../git/file-changes.ts';
import type { NewEvent } from '../../../features/sessions/schemas/event-schemas.ts';
import type { Attempt } from '../attempt/attempt.ts';
import type { Attribution } from '../log/tool-call-attribution.ts';
import { cleanText } from '../log/output.ts';
import type { Checkout } from '../workspace/checkout-set.ts';

/** Limit for the file events of one checkpoint; a warning counts the rest. */
const maxFiles = 200;

/** The changed files, if they are about to be known without another process. */
type Known = () => Promise<readonly FileChange[] | undefined>;

/**
 * Returns events for the files that changed since the previous checkpoint, one per file. They are recorded with the
 * checkpoint, so that the log has each change exactly once.
 */
export async function fileChangeEvents(
  { secrets, control }: Pick<Attempt, 'secrets' | 'control'>,
  { checkpointsPath, directory }: Checkout,
  { from, to, known, attribution }: { from: string; to: string; known?: Known; attribution: Attribution },
): Promise<NewEvent[]> {
  if (from === to) return [];
  const changes = (await known?.()) ?? (await filesBetween(checkpointsPath, from, to, { signal: control.lost }));
  const events = changes.slice(0, maxFiles).map(({ path: own, change, additions, deletions }): NewEvent => {
    const path = directory === '' ? own : `${directory}/${own}`;
    const data = { path: cleanText(path), change, additions, deletions, call_id: attribution(path) };
    return { kind: 'file_change', phase: 'implement', data: secrets.masked(data) };
  });
  const more = changes.length - events.length;
  if (more > 0) {
    const message = `A step changed ${changes.length} files; ${more} of them have no event. The session's diff lists all.`;
    events.push({ kind: 'warning', phase: 'implement', data: { code: 'file_changes_cut', message } });
  }
  return events;
}
