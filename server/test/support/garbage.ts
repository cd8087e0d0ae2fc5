import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
/** Collects garbage: memory that is only not yet collected would be counted otherwise. */
export const collectGarbage: () => void = runInNewContext('gc');
