import type { Schemas } from '../../lib/api.ts';
import type { Origin } from './rules.ts';
import { filesOf, linesOf } from './values.ts';

/** What a session would do, as a person enters it. */
export interface Trial {
  origin: Origin;
  /** US dollars; '' for none. */
  cost: string;
  branch: string;
  commands: string;
  files: string;
  /** The new content of the first file. */
  content: string;
  opensChangeRequest: boolean;
}

export const emptyTrial: Trial = {
  origin: 'console',
  cost: '',
  branch: '',
  commands: '',
  files: '',
  content: '',
  opensChangeRequest: false,
};

/** Returns the request that tries it. */
export function trialRequest(trial: Trial, repo: string | undefined): Schemas['EvaluateGuardrailsRequest'] {
  const { origin, cost, branch, commands, content, opensChangeRequest } = trial;
  const files = filesOf(trial.files);
  const [first = { path: 'file.txt', additions: 0, deletions: 0 }, ...others] = files;
  return {
    ...(repo === undefined ? {} : { repo }),
    origin,
    ...(cost === '' ? {} : { budget: { max_cost_usd: Number(cost) } }),
    branch: branch.trim(),
    commands: linesOf(commands),
    files: content === '' ? files : [{ ...first, content }, ...others],
    opens_change_request: opensChangeRequest,
  };
}
