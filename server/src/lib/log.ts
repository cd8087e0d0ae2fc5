import { pino } from 'pino';

export type Log = pino.Logger;
export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** Where a credential could stand in a logged object; pino replaces it before the line is written. */
const redacted = [
  'authorization',
  'cookie',
  'password',
  'secret',
  'token',
  'key',
  'value',
  '*.authorization',
  '*.cookie',
  '*.password',
  '*.secret',
  '*.token',
  '*.key',
  '*.value',
  'req.headers.authorization',
  'req.headers.cookie',
  'headers.authorization',
  'headers.cookie',
];

/** A structured JSON log to `destination` (a file descriptor; standard error by default: standard output is for results). */
export function createLog(level: (typeof logLevels)[number], destination = 2): Log {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, redact: { paths: redacted, censor: '[redacted]' } },
    pino.destination({ fd: destination, sync: true }),
  );
}
