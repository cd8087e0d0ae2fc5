/** The place where lines of a log go. */
interface Destination {
  write(line: string): unknown;
}

/** A line of which more of the same followed. */
interface Repeated {
  /** When the newest one came, in milliseconds. */
  seenAt: number;
  /** When one was written. */
  saidAt: number;
  /** The time for which no other one is written. */
  pauseMs: number;
  /** The number of lines that were left out since. */
  leftOut: number;
}

/** The start of a warning or an error: repetitions differ by its time alone. */
const start = /^(\{"level":[45]0),"time":"[^"]*"/;
const firstPauseMs = 10_000;
const longestPauseMs = 600_000;
/** Silence after which the same line is news. */
const newsAfterMs = 30_000;
/** The number of lines that are remembered. */
const mostLines = 200;
/** In characters; a longer line is always written, and not remembered. */
const longestLine = 10_000;

/**
 * Leaves out warnings and errors that repeat word for word, as those of an outage do: writes the first one at once, and
 * another one after 10 s, 20 s, and so on up to 10 minutes, with `repeated`, the number of lines left out before it.
 */
export function withoutRepeats(destination: Destination, now: () => number = () => performance.now()): Destination {
  // The line that was not seen for the longest time comes first.
  const lines = new Map<string, Repeated>();
  return {
    write(line) {
      if (line.length > longestLine) return destination.write(line);
      const text = line.replace(start, '$1');
      if (text.length === line.length) return destination.write(line);
      const at = now();
      const known = lines.get(text);
      lines.delete(text);
      if (known === undefined || at - known.seenAt > newsAfterMs) {
        lines.set(text, { seenAt: at, saidAt: at, pauseMs: firstPauseMs, leftOut: 0 });
        for (const oldest of lines.keys()) if (lines.size > mostLines) lines.delete(oldest);
        return destination.write(line);
      }
      lines.set(text, known);
      known.seenAt = at;
      if (at - known.saidAt < known.pauseMs) return void (known.leftOut += 1);
      const { leftOut, pauseMs } = known;
      Object.assign(known, { saidAt: at, pauseMs: Math.min(2 * pauseMs, longestPauseMs), leftOut: 0 });
      return destination.write(leftOut === 0 ? line : line.replace(/\}\n$/, `,"repeated":${leftOut}}\n`));
    },
  };
}
