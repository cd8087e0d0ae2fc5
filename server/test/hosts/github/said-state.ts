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
