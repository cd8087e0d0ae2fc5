import { named, type Database } from '../../../db/pool.ts';
import type { EventKind } from '../schemas/event-schemas.ts';
import type { EventRange } from './event-query-store.ts';

/** The fields of each kind that a search reads; an object or array counts as its JSON. */
const searched: Record<EventKind, readonly string[]> = {
  status: ['status_detail'],
  provisioning: ['subject', 'summary'],
  message: ['delta'],
  thought: ['delta'],
  tool_call: ['name', 'title', 'input'],
  tool_result: ['output'],
  plan: ['entries'],
  approval: ['summary'],
  command: ['command'],
  output: ['text'],
  file_change: ['path'],
  phase: ['summary', 'evidence'],
  usage: ['model'],
  budget: ['limit'],
  warning: ['code', 'message'],
  checkpoint: ['commit'],
  branch_pushed: ['repo', 'branch', 'commit'],
  change_request: ['repo', 'url'],
  artifact: ['name'],
  child: ['session_id'],
  structured_output: ['value'],
  error: ['code', 'message'],
};

const fields = [...new Set(Object.values(searched).flat()), 'message_id', 'command_id', 'stream'];
/** One pass over the JSON for all of them, because an event may be large. */
const record = `json_to_record(data) as texts (${fields.map((field) => `"${field}" text`).join(', ')})`;
const body = `case kind ${Object.entries(searched)
  .map(([kind, of]) => `when '${kind}' then concat_ws(e'\\n', ${of.map((field) => `texts."${field}"`).join(', ')})`)
  .join(' ')} end`;

/** Names the text that an event is a piece of. */
const textOfPiece = `case when kind in ('message', 'thought') then kind || ' ' || texts.message_id
  when kind = 'output' then kind || ' ' || texts.stream || ' ' || texts.command_id end`;

/** An event as a search sees it. */
export interface SearchedEvent {
  seq: number;
  /** The search text is in the event alone. */
  found: boolean;
  /** The text that it is a piece of; null if it is not a piece. */
  piece_of: string | null;
  /** The beginning of the piece, as long as the search text. */
  head: string;
  /** The end of the piece in UTF-8, at least as long as the search text; it may begin inside a character. */
  tail: Buffer;
  size_bytes: number;
}

/**
 * Returns the events of a part of the log that contain a text, case-insensitive, and every piece of a text; `context`
 * events before it, too, if they are pieces.
 */
export async function searchEvents(
  db: Database,
  { orgId, sessionId, after, before, kinds }: EventRange,
  { text, context }: { text: string; context: number },
): Promise<SearchedEvent[]> {
  return named<SearchedEvent>(
    db,
    'events_search',
    `select seq, found, piece_of, left(body, $9) as head, octet_length(body) as size_bytes,
       case when octet_length(body) <= 4 * $9 then convert_to(body, 'UTF8')
         else substring(convert_to(body, 'UTF8') from octet_length(body) - 4 * $9 + 1) end as tail
     from (
       select seq, piece_of, body, case when seq > $3 then (
           select strpos(low, lower($6)) > 0 or strpos(low, lower($7)) > 0 from (select lower(body) as low offset 0) lowered)
         else false end as found
       from (
         select seq, ${textOfPiece} as piece_of, ${body} as body
         from session_events e cross join lateral ${record}
         where e.session_id = $1 and org_id = $2 and seq > $3::bigint - $8::bigint and seq < $4
           and (seq > $3 or kind in ('message', 'thought', 'output'))
           and (cardinality($5::text[]) = 0 or kind = any($5::text[]))
         offset 0) pieces
       offset 0) looked
     where found or piece_of is not null order by seq`,
    // In JSON, some characters are escaped.
    [sessionId, orgId, after, before, kinds, text, JSON.stringify(text).slice(1, -1), context, text.length],
  );
}
