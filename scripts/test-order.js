import { BaseSequencer } from 'vitest/node';

const projects = ['programs', 'api', 'unit'];
/** Small files that wait for most of a minute, or half of one: others have the processor meanwhile. */
const waiting = ['features/events/slow-reader', 'jobs/queue', 'jobs/worker-calls'];

/**
 * Runs slow files first, so that none is left alone at the end; files of one project run consecutively and share
 * processes.
 */
export class SlowestFirst extends BaseSequencer {
  async sort(files) {
    const rank = ({ project, moduleId }) =>
      waiting.some((name) => moduleId.endsWith(`/server/src/${name}.test.ts`)) ? -1 : projects.indexOf(project.name);
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
