import type { Transaction } from 'kysely';
import type { DB } from '../../../db/types.ts';
import { readEnd } from '../store/result-store.ts';

const longestSummary = 4_000;

export interface SessionResult {
  /** The agent's last message, cut; `''` for none. */
  summary: string;
  /** `''` unless the session failed. */
  errorMessage: string;
}

/** Returns what came of a session's last turn; empty if the session does not exist. */
export async function readResult(trx: Transaction<DB>, orgId: string, id: string): Promise<SessionResult> {
  const { reply = '', error = null } = (await readEnd(trx, orgId, id)) ?? {};
  const message: unknown = error === null ? '' : Reflect.get(Object(error), 'message');
  return { summary: cut(reply ?? ''), errorMessage: typeof message === 'string' ? cut(message) : '' };
}

function cut(text: string): string {
  if (text.length <= longestSummary) return text;
  // Drops half of a surrogate pair.
  return `${text.slice(0, longestSummary - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
