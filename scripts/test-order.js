import { BaseSequencer } from 'vitest/node';

/** Small files that wait for most of a minute, or half of one: others have the processor meanwhile. */
const waiting = ['features/events/slow-reader', 'jobs/queue', 'jobs/worker-calls'];

/** Runs slow files first, so that none is left alone at the end. */
export class SlowestFirst extends BaseSequencer {
  async sort(files) {
    const isWaiting = ({ moduleId }) => waiting.some((name) => moduleId.endsWith(`/server/src/${name}.test.ts`));
    return (await super.sort(files)).toSorted((a, b) => Number(isWaiting(b)) - Number(isWaiting(a)));
  }
}
