import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

/** Collects garbage: memory that is only not yet collected would be counted otherwise. */
export function collectGarbage(): void {
  collect();
  // The buffers that the first collection found are freed by a thread; the second one waits for it.
  collect();
}
