import { BaseSequencer } from 'vitest/node';

const projects = ['programs', 'api', 'unit'];

/**
 * Runs slow files first, so that none is left alone at the end; files of one project run consecutively and share
 * processes.
 */
export class SlowestFirst extends BaseSequencer {
  async sort(files) {
    const rank = ({ project }) => projects.indexOf(project.name);
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
