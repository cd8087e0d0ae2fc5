/** Limit for standard error, which a git server controls. */
const keptStderrBytes = 16 * 1024;

export function endOf(stderr: Buffer): string {
  return stderr.subarray(-keptStderrBytes).toString('utf8');
}

export function redact(text: string, secrets: readonly string[]): string {
  let clean = text.replaceAll(/\b([a-z][a-z0-9+.-]{0,15}:\/\/)[^\s/@]{1,1024}@/gi, '$1');
  for (const secret of secrets) if (secret !== '') clean = clean.replaceAll(secret, '[redacted]');
  return clean;
}

/**
 * Returns the relevant part of git's standard error: its last lines, without progress, and the host's message if there is one.
 */
export function lastLines(stderr: string): string {
  const lines = stderr
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('hint:'));
  const isTold = lines.some((line) => line.startsWith('remote: '));
  // Omits the line with the worker's own URL and the status, which the host's message explains.
  const telling = isTold ? lines.filter((line) => !line.startsWith('fatal: unable to access ')) : lines;
  return telling
    .slice(-4)
    .map((line) => line.replace(/^remote:\s+/, ''))
    .join('; ')
    .slice(0, 1_000);
}
