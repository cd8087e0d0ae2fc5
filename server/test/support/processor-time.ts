import { readFileSync } from 'node:fs';

/** The kernel counts in hundredths of a second. */
const tickMs = 10;
let counted = 0;

/**
 * Returns the processor time in milliseconds that this process and its ended children took since the last call, by
 * `/proc/self/stat`; 0 where there is none.
 */
export function processorTime(): number {
  const before = counted;
  counted = totalMs();
  return counted - before;
}

function totalMs(): number {
  if (process.platform !== 'linux') return 0;
  const text = readFileSync('/proc/self/stat', 'utf8');
  // The second field, the program's name, may hold spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return ticks * tickMs;
}
