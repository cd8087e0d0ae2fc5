import { instant } from './pulls.ts';
import type { World } from './route.ts';
import { refusal, type Grant, type Pull, type Repository } from './state.ts';

/** An account as GitHub names it: an App's ends with `[bot]`. */
export interface Account {
  readonly login: string;
  readonly isBot: boolean;
}

export interface Comment {
  readonly id: number;
  /** The pull request or issue. */
  readonly number: number;
  body: string;
  readonly author: Account;
  readonly createdAt: string;
  readonly reactions: string[];
}

export interface Review extends Comment {
  state: 'COMMENTED' | 'CHANGES_REQUESTED' | 'APPROVED' | 'DISMISSED' | 'PENDING';
  readonly commit: string;
}

export interface Thread {
  readonly id: string;
  readonly number: number;
  readonly path: string;
  readonly line: number;
  readonly side: 'LEFT' | 'RIGHT';
  readonly commit: string;
  isResolved: boolean;
  readonly reviewId: number;
  readonly comments: Comment[];
}

export interface CheckRun {
  readonly id: number;
  readonly runId: number;
  readonly sha: string;
  readonly name: string;
  status: 'COMPLETED' | 'QUEUED';
  conclusion: string | null;
  completedAt: string | null;
  /** Undefined for a check run of another App than GitHub Actions. */
  readonly log: string | undefined;
  readonly summary: string;
}

export interface Status {
  readonly sha: string;
  readonly context: string;
  readonly state: string;
  readonly description: string;
  readonly url: string;
  readonly at: string;
}

export interface Issue {
  readonly id: number;
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly author: Account;
  readonly createdAt: string;
  updatedAt: string;
}

/** Everything that people and programs said in a repository. */
export interface Said {
  readonly comments: Comment[];
  readonly reviews: Review[];
  readonly threads: Thread[];
  readonly checkRuns: CheckRun[];
  readonly statuses: Status[];
  readonly issues: Issue[];
  readonly labels: Map<number, string[]>;
  /** Permissions by login. */
  readonly collaborators: Map<string, string>;
  /** Names of checks that a merge requires. */
  readonly requiredChecks: Set<string>;
  /** Pull requests that merge by themselves or are in the merge queue. */
  readonly autoMerging: Map<number, 'auto' | 'queue'>;
  allowsAutoMerge: boolean;
  hasMergeQueue: boolean;
}

export function nothingSaid(): Said {
  return {
    comments: [],
    reviews: [],
    threads: [],
    checkRuns: [],
    statuses: [],
    issues: [],
    labels: new Map(),
    collaborators: new Map(),
    requiredChecks: new Set(),
    autoMerging: new Map(),
    allowsAutoMerge: true,
    hasMergeQueue: false,
  };
}

/** Returns who acts with a credential. */
export function accountOf(world: World, grant: Grant): Account {
  return grant.kind === 'token'
    ? { login: grant.login, isBot: false }
    : { login: `${world.grants.app.slug}[bot]`, isBot: true };
}

/** Adds a comment on a pull request or an issue, which changes it. */
export function say(world: World, repository: Repository, number: number, author: Account, body: string): Comment {
  const now = instant(world.now());
  const comment = { id: world.nextId(), number, body, author, createdAt: now, reactions: [] };
  touch(world, repository, number);
  repository.comments.push(comment);
  return comment;
}

export function touch(world: World, { pulls, issues }: Repository, number: number): void {
  const subject = [...pulls, ...issues].find((one) => one.number === number);
  if (subject === undefined) throw refusal(404, 'Not Found');
  subject.updatedAt = instant(world.now());
}

/** Returns true if a pull request's change has a line in a file, or one near it. */
export async function isInDiff(
  { bare }: Repository,
  pull: Pull,
  { path, line, side }: Pick<Thread, 'path' | 'line' | 'side'>,
): Promise<boolean> {
  const base = await bare.git('merge-base', pull.baseSha, pull.headSha);
  const diff = await bare.git('diff', base, pull.headSha, '--', path);
  return [...diff.matchAll(/^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/gm)].some((hunk) => {
    const [first, count] = side === 'LEFT' ? [hunk[1], hunk[2]] : [hunk[3], hunk[4]];
    return line >= Number(first) && line < Number(first) + Number(count ?? 1);
  });
}

/** Returns true if a thread's line is another one by now. */
export async function isOutdated({ bare }: Repository, pull: Pull, thread: Thread): Promise<boolean> {
  const lineAt = async (commit: string): Promise<string | undefined> => {
    const text = await bare.git('show', `${commit}:${thread.path}`).catch(() => '');
    return text.split('\n')[thread.line - 1];
  };
  return thread.side === 'RIGHT' && (await lineAt(thread.commit)) !== (await lineAt(pull.headSha));
}
