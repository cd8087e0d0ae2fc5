/**
 * Returns true for an error that concerns the server and not the statement: it is unreachable, stops, starts, has no
 * connection or disk space left, or is read-only, as after a failover. The same statement may succeed a few seconds later.
 */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return awayCodes.has(code) || code.startsWith('08') || awayMessage.test(error.message);
}

/** SQLSTATEs of a server that stops, crashed, starts, is full, or a standby; and what a socket says without one. */
const awayCodes = new Set(
  '57P01 57P02 57P03 53100 53300 25006 ECONNREFUSED ECONNRESET EPIPE ETIMEDOUT EHOSTUNREACH ENETUNREACH ENOTFOUND EAI_AGAIN'.split(
    ' ',
  ),
);

/** The client's own errors, which have no code. A unix socket that is gone says ENOENT, as a missing file does. */
const awayMessage =
  /^(?:Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|connect ENOENT )/;
