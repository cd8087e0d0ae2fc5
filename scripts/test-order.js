import { BaseSequencer } from 'vitest/node';

const projects = ['sandbox', 'api', 'unit'];

/** Slow files begin first, so that none is left alone at the end; files of one project follow one another and share processes. */
export class SlowestFirst extends BaseSequencer {
  async sort(files) {
    const rank = ({ project }) => projects.indexOf(project.name);
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
