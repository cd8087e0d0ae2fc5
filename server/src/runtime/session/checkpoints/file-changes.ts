import { filesBetween } from '../../../git/file-changes.ts';
import type { NewEvent } from '../../../features/sessions/schemas/event-schemas.ts';
import type { Attempt } from '../attempt/attempt.ts';
import type { Explain } from '../log/tool-call-attribution.ts';
import { cleanText } from '../log/output.ts';
import type { Checkout } from '../workspace/checkout-set.ts';

/** A checkpoint that changes more files tells of these, and how many more there are. */
const maxFiles = 200;

/**
 * What a checkpoint changed since the one before it, as events: each file once, however it was changed. They go on record
 * with the checkpoint, so that a log tells of each of its changes exactly once.
 */
export async function fileChangeEvents(
  { secrets, control }: Pick<Attempt, 'secrets' | 'control'>,
  { checkpointsPath, directory }: Checkout,
  { from, to, explain }: { from: string; to: string; explain: Explain },
): Promise<NewEvent[]> {
  if (from === to) return [];
  const changes = await filesBetween(checkpointsPath, from, to, { signal: control.lost });
  const events = changes.slice(0, maxFiles).map(({ path: own, change, additions, deletions }): NewEvent => {
    const path = directory === '' ? own : `${directory}/${own}`;
    const data = { path: cleanText(path), change, additions, deletions, call_id: explain(path) };
    return { kind: 'file_change', phase: 'implement', data: secrets.masked(data) };
  });
  const more = changes.length - events.length;
  if (more > 0) {
    const message = `A step changed ${changes.length} files; ${more} of them have no event of their own. All are in the session's diff.`;
    events.push({ kind: 'warning', phase: 'implement', data: { code: 'file_changes_cut', message } });
  }
  return events;
}
