/** What a program of the host may have, and each program that it starts. */
export interface Limits {
  /** Bytes of memory that it writes; files that are mapped do not count. */
  memoryBytes: number;
  /** Seconds of processor time before SIGXCPU ends it. */
  cpuSeconds: number;
  /** Bytes of one file; what is beyond cannot be written (EFBIG). As many as the disk has unless told. */
  fileBytes?: number;
}

const gibibyte = 1024 ** 3;

/** For programs that work on what people made, or servers said. */
export const usualLimits: Limits = { memoryBytes: 2 * gibibyte, cpuSeconds: 900 };

/**
 * The command that runs a program within limits: a shell sets them and becomes the program, so that its id, signals and exit
 * code are the program's. One that is not there is exit code 127.
 */
export function limited(program: string, args: readonly string[], limits: Limits): [file: string, args: string[]] {
  const { memoryBytes, cpuSeconds, fileBytes } = limits;
  // The soft limit comes with a signal of its own. A limit that is tighter already stays.
  const set = [
    'ulimit -c 0',
    `ulimit -d ${Math.ceil(memoryBytes / 1024)}`,
    `ulimit -S -t ${cpuSeconds}`,
    `ulimit -H -t ${cpuSeconds + 5}`,
    // A program that writes more is told so, where its end by a signal would leave the one that started it guessing.
    ...(fileBytes === undefined ? [] : ["trap '' XFSZ", `ulimit -f ${Math.ceil(fileBytes / 512)}`]),
  ];
  return ['/bin/sh', ['-c', `{ ${set.join('; ')}; } 2>/dev/null; exec "$0" "$@"`, program, ...args]];
}
