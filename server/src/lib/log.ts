import { writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { pino } from 'pino';
import { withoutRepeats } from './log-repeats.ts';
import { readable } from './log-text.ts';
import type { Mask } from './mask/mask.ts';

export type Log = pino.Logger;
export const logLevels = ['debug', 'info', 'warn', 'error', 'fatal'] as const;
export const logFormats = ['json', 'text'] as const;

/** The places of a logged object that may hold a credential; pino redacts them before it writes the line. */
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

/**
 * Creates a log to `destination` (a file descriptor; standard error by default, as standard output is for results). `json`: one
 * object per line, for programs; `text`: for people, in colour on a terminal. `base` is in every line. Repeated warnings are left out.
 */
export function createLog(
  level: (typeof logLevels)[number] | 'silent',
  destination = 2,
  format: (typeof logFormats)[number] = 'json',
  base: Readonly<Record<string, number>> | null = null,
): Log {
  const masks = new Set<() => Mask>();
  const log: Log = pino(
    {
      level,
      base,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: redacted, censor: '[redacted]' },
      hooks: { streamWrite: (line) => [...masks].reduce((text, mask) => mask().text(text), line) },
    },
    withoutRepeats(
      format === 'json' ? pino.destination({ fd: destination, sync: true }) : textDestination(destination),
    ),
  );
  masksOf.set(log, masks);
  return log;
}

function textDestination(fd: number): { write(line: string): void } {
  const colour = isatty(fd);
  return {
    write(line) {
      try {
        writeSync(fd, readable(line, colour));
      } catch {
        // The terminal was closed; nobody reads the log any more.
      }
    },
  };
}

const masksOf = new WeakMap<Log, Set<() => Mask>>();

/** Masks every line of a log of {@link createLog} and its children until the returned function is called. */
export function maskLog(log: Log, mask: () => Mask): () => void {
  const masks = masksOf.get(log);
  masks?.add(mask);
  return () => masks?.delete(mask);
}
