import type { Attention, SessionStatus, StatusDetail } from '../schemas/session-schemas.ts';

interface Rule {
  attention: Attention;
  status: SessionStatus;
  /** Absent for every detail. */
  detail?: StatusDetail;
}

/** When a session needs someone, and why. It ends when the status changes, or the session is archived. */
const rules: readonly Rule[] = [
  { attention: 'approval', status: 'waiting', detail: 'awaiting_approval' },
  { attention: 'answer', status: 'waiting', detail: 'awaiting_user' },
  // The same question, whose sandbox was freed.
  { attention: 'answer', status: 'suspended', detail: 'inactivity' },
  { attention: 'budget', status: 'suspended', detail: 'budget_reached' },
  { attention: 'failed', status: 'failed' },
];

/** Returns what a session that is not archived needs; `''` for nothing. */
export function attentionOf(status: SessionStatus, detail: StatusDetail): Attention | '' {
  const rule = rules.find((one) => one.status === status && (one.detail ?? detail) === detail);
  return rule?.attention ?? '';
}

const conditionOf = ({ status, detail }: Rule): string =>
  detail === undefined ? `status = '${status}'` : `(status = '${status}' and status_detail = '${detail}')`;

/** The SQL expression of a session's attention. */
export const attentionColumn = `case when archived then '' ${rules
  .map((rule) => `when ${conditionOf(rule)} then '${rule.attention}'`)
  .join(' ')} else '' end`;

/** Returns the SQL condition of sessions with one of these attentions. */
export function attentionCondition(wanted: readonly Attention[]): string {
  const conditions = rules.filter(({ attention }) => wanted.includes(attention)).map(conditionOf);
  return `not archived and (${conditions.join(' or ')})`;
}
