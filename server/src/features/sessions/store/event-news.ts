import { jsonOf, type EventText } from './event-store.ts';

/** PostgreSQL takes less than 8,000 bytes in a notification. */
const mostBytes = 7_900;
/** More than the columns beside the data take. */
const bytesBeside = 200;
/** Of events that a slow client has not read yet. */
const mostCharacters = 262_144;

/** The columns that the insert of events must return for {@link tellStreams}. */
export const newsColumns = 'seq, id, kind, phase, turn, attempt_no, created_at, data';

/** Events with one in a line, in the order of their columns above. */
const inLines = `string_agg(concat_ws(e'\\t', seq, id, kind, phase, turn, attempt_no,
  floor(extract(epoch from created_at) * 1000), data::text), e'\\n' order by seq)`;

/**
 * Notifies the streams of the session `id` of the events in the CTE `appended`, if there are any. The notification
 * carries a few small events, so that no stream has to read them.
 */
export const tellStreams = (id: string): string => `(
  select pg_notify('guildhall_session',
    ${id} || case when size.bytes < ${mostBytes} then (select e'\\n' || ${inLines} from appended) else '' end)
  from (select sum(octet_length(data::text) + ${bytesBeside}) as bytes from appended) size where size.bytes is not null)`;

/** The events that notifications carried to a stream. */
export interface EventNews {
  /** Takes a notification; undefined if some may have been missed. */
  notify(payload: string | undefined): void;
  /** Returns the events after a sequence number, and forgets them; undefined if they must be read. */
  take(afterSeq: number): EventText[] | undefined;
}

/** Begins without an answer: what was before must be read. */
export function createEventNews(sessionId: string): EventNews {
  let lines: string[] = [];
  let characters = Infinity;
  return {
    notify(payload) {
      const text = payload?.slice(sessionId.length + 1) ?? '';
      characters = text === '' ? Infinity : characters + text.length;
      if (characters > mostCharacters) lines = [];
      else lines.push(...text.split('\n'));
    },
    take(afterSeq) {
      const events = lines.map((line) => parse(sessionId, line)).filter(({ seq }) => seq > afterSeq);
      const isWhole = characters <= mostCharacters && events.every(({ seq }, index) => seq === afterSeq + 1 + index);
      lines = [];
      characters = 0;
      return isWhole ? events : undefined;
    },
  };
}

function parse(sessionId: string, line: string): EventText {
  const [seq, id = '', kind = '', phase = '', turn, attempt, at, data = ''] = line.split('\t');
  const row = { seq: Number(seq), id, kind, phase, turn: Number(turn), attempt_no: Number(attempt), data };
  return { seq: row.seq, kind, json: jsonOf(sessionId, { ...row, created_at: new Date(Number(at)) }) };
}
