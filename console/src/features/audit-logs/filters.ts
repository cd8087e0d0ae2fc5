/** The filters of the audit log, as the page's address has them; days are `YYYY-MM-DD` in the reader's zone. */
export interface AuditFilters {
  action?: string;
  outcome?: string;
  actor_id?: string;
  resource_type?: string;
  resource_id?: string;
  from?: string;
  to?: string;
}

/** Returns the API's parameters for filters; a day that is none filters nothing. */
export function requestOf({ from, to, ...rest }: AuditFilters): Record<string, string> {
  const after = startOf(from, 0);
  const before = startOf(to, 1);
  return {
    ...rest,
    ...(after === undefined ? {} : { created_after: after }),
    ...(before === undefined ? {} : { created_before: before }),
  };
}

/** Returns when a day begins in the reader's zone, or one some days after it. */
function startOf(day: string | undefined, later: number): string | undefined {
  const [, year, month, date] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day ?? '') ?? [];
  if (year === undefined) return undefined;
  const at = new Date(Number(year), Number(month) - 1, Number(date) + later);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}
