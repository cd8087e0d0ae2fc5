/** The resource limits of a host program, applied to each program that it starts as well. */
export interface Limits {
  /** Bytes of writable memory; mapped files do not count. */
  memoryBytes: number;
  /** Seconds of processor time before SIGXCPU ends it. */
  cpuSeconds: number;
  /** Maximum bytes per file; writes beyond fail with EFBIG. Unlimited by default. */
  fileBytes?: number;
}

const gibibyte = 1024 ** 3;

/** The defaults for programs that process untrusted data. */
export const usualLimits: Limits = { memoryBytes: 2 * gibibyte, cpuSeconds: 900 };

/**
 * Returns the command that runs a program within limits. A shell sets them and is replaced by the program, so process id,
 * signals and exit code are the program's. A missing program results in exit code 127.
 */
export function limited(program: string, args: readonly string[], limits: Limits): [file: string, args: string[]] {
  const { memoryBytes, cpuSeconds, fileBytes } = limits;
  // The soft limit sends a signal of its own. A stricter existing limit is kept.
  const set = [
    'ulimit -c 0',
    `ulimit -d ${Math.ceil(memoryBytes / 1024)}`,
    `ulimit -S -t ${cpuSeconds}`,
    `ulimit -H -t ${cpuSeconds + 5}`,
    // A write beyond the limit fails with an error; the default signal would end the program without an explanation.
    ...(fileBytes === undefined ? [] : ["trap '' XFSZ", `ulimit -f ${Math.ceil(fileBytes / 512)}`]),
  ];
  return ['/bin/sh', ['-c', `{ ${set.join('; ')}; } 2>/dev/null; exec "$0" "$@"`, program, ...args]];
}
