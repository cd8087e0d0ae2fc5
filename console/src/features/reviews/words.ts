import type { Finding, Review } from './queries.ts';

type Tone = 'plain' | 'wait' | 'bad' | 'run';

/** A state in words, and its color. */
export interface Word {
  word: string;
  tone: Tone;
}

const verdicts: Record<Review['verdict'], Word> = {
  approve: { word: 'Approves', tone: 'run' },
  request_changes: { word: 'Requests changes', tone: 'wait' },
  comment: { word: 'Comments', tone: 'plain' },
  '': { word: 'Completed', tone: 'plain' },
};

/** How a review stands: its verdict once it has one. */
export function stateOf({ status, verdict }: Pick<Review, 'status' | 'verdict'>): Word {
  switch (status) {
    case 'queued':
      return { word: 'Queued', tone: 'plain' };
    case 'running':
      return { word: 'Reviewing', tone: 'run' };
    case 'completed':
      return verdicts[verdict];
    case 'failed':
      return { word: 'Failed', tone: 'bad' };
    case 'superseded':
      return { word: 'Superseded', tone: 'plain' };
    case 'canceled':
      return { word: 'Canceled', tone: 'plain' };
  }
}

export const statusOptions: readonly (readonly [Review['status'], string])[] = [
  ['queued', 'Queued'],
  ['running', 'Reviewing'],
  ['completed', 'Completed'],
  ['failed', 'Failed'],
  ['superseded', 'Superseded'],
  ['canceled', 'Canceled'],
];

/** A severity in words. */
export const severityWords: Record<Finding['severity'], string> = {
  pre_existing: 'Not from this change',
  low: 'Low',
  medium: 'Medium',
  high: 'High',
  critical: 'Critical',
};

/** The severities with their words, the least first. */
export const severityOptions: readonly (readonly [Finding['severity'], string])[] = [
  ['pre_existing', severityWords.pre_existing],
  ['low', severityWords.low],
  ['medium', severityWords.medium],
  ['high', severityWords.high],
  ['critical', severityWords.critical],
];

const postings: Record<Review['posting'], string> = {
  '': '',
  pending: 'Not posted yet',
  posted: 'Posted on the change request',
  not_offered: 'Stored here only: the git host takes no reviews',
  failed: 'Not posted',
};

/** Returns how far the post of a completed review is; '' before it completed. */
export function postingWord({ status, posting }: Pick<Review, 'status' | 'posting'>): string {
  if (status !== 'completed') return '';
  return posting === '' ? 'Stored here only, as the policy says' : postings[posting];
}

const severityTones = new Map<string, Tone>([
  ['critical', 'bad'],
  ['high', 'bad'],
  ['medium', 'wait'],
]);

/** The color of a severity. */
export function toneOf({ severity }: Pick<Finding, 'severity'>): Tone {
  return severityTones.get(severity) ?? 'plain';
}

/** Returns how many findings are open: `2 open findings`, `1 open of 3 findings`. */
export function findingWords(findings: readonly Pick<Finding, 'status'>[]): string {
  if (findings.length === 0) return 'nothing found';
  const open = findings.filter(({ status }) => status === 'open').length;
  const noun = findings.length === 1 ? 'finding' : 'findings';
  return open === findings.length ? `${open} open ${noun}` : `${open} open of ${findings.length} ${noun}`;
}

/** Returns a share as a whole percentage. */
export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
