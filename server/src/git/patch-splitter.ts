export interface PatchSplitter {
  /** Returns `full` once the limit is reached. */
  push(chunk: Uint8Array): 'more' | 'full';
  /** Yields each file's patch, one at a time because they may be large; '' for a binary file and beyond the limits. */
  end(): Generator<string>;
  /** Number of `diff --git` sections. */
  sections(): number;
}

/**
 * Splits a patch that arrives in pieces into one text per file, in the order of git's raw listing. A line that begins with
 * `diff --git ` starts a section: content lines always begin with a space, `+`, `-` or `\`, and git quotes line breaks in
 * names. Patches beyond the limits are dropped while they stream, so that memory is bounded.
 */
export function createPatchSplitter(options: {
  /** Number of sections of each file, and a flag for binary content. */
  files: readonly { sections: number; binary: boolean }[];
  maxFileBytes: number;
  maxTotalBytes: number;
}): PatchSplitter {
  const marker = Buffer.from('\ndiff --git ');
  const fileOfSection = options.files.flatMap(({ sections }, file) => Array.from({ length: sections }, () => file));
  const parts: Buffer[][] = options.files.map(() => []);
  const sizes = options.files.map(({ binary }) => (binary ? Number.POSITIVE_INFINITY : 0));
  let pending: Buffer = Buffer.alloc(0);
  let section = 0;
  let total = 0;
  let full = false;

  function add(bytes: Buffer): void {
    const file = fileOfSection[section];
    const kept = file === undefined ? undefined : parts[file];
    const size = file === undefined ? undefined : sizes[file];
    if (file === undefined || kept === undefined || size === undefined || bytes.length === 0) return;
    sizes[file] = size + bytes.length;
    if (size > options.maxFileBytes) return;
    full ||= total + bytes.length > options.maxTotalBytes;
    if (full || size + bytes.length > options.maxFileBytes) {
      total -= kept.reduce((sum, part) => sum + part.length, 0);
      kept.length = 0;
      sizes[file] = Number.POSITIVE_INFINITY;
      return;
    }
    kept.push(Buffer.from(bytes));
    total += bytes.length;
  }

  return {
    push(chunk) {
      pending = Buffer.concat([pending, chunk]);
      for (let at = pending.indexOf(marker); at >= 0; at = pending.indexOf(marker)) {
        add(pending.subarray(0, at + 1));
        section += 1;
        pending = pending.subarray(at + 1);
      }
      const safe = Math.max(0, pending.length - marker.length);
      add(pending.subarray(0, safe));
      pending = pending.subarray(safe);
      return full ? 'full' : 'more';
    },
    *end() {
      add(pending);
      pending = Buffer.alloc(0);
      for (const kept of parts) yield Buffer.concat(kept).toString('utf8');
    },
    sections: () => (fileOfSection.length === 0 ? 0 : section + 1),
  };
}
