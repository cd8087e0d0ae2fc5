import type { GitUser } from '../support/git.ts';
import { pagureProblem } from '../support/pagure.ts';
import { talkingGithub, talkingGitlab, type Files, type TalkingHost } from './talking.ts';
import { talkingPagure } from './talking-pagure.ts';

interface Known {
  /** The name, and why a test is skipped there. */
  readonly title: string;
  /** The reason why it cannot be started here; `''` if it can. */
  readonly problem: string;
  open(user: GitUser, files: Files): Promise<TalkingHost>;
}

const problem = pagureProblem();

/** The hosts where people talk: two fakes, and a real Pagure where it is installed. */
export const talkingHosts: readonly Known[] = [
  { title: 'GitHub', problem: '', open: talkingGithub },
  { title: 'GitLab', problem: '', open: talkingGitlab },
  { title: problem === '' ? 'Pagure' : `Pagure (optional: ${problem})`, problem, open: talkingPagure },
];
