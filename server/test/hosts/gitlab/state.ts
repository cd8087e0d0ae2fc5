import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBareRepository, type BareRepository } from '../git-server.ts';

/** GitLab's numbers of roles. */
export const role = { none: 0, guest: 10, reporter: 20, developer: 30, maintainer: 40 } as const;

export interface FakeToken {
  readonly token: string;
  readonly id: number;
  readonly username: string;
  scopes: readonly string[];
  /** `expired` and `revoked` ones are refused. */
  state: 'active' | 'expired' | 'revoked';
  /** Its account's role in every project, unless {@link FakeProject.roles} has another. */
  role: number;
}

export interface FakeMergeRequest {
  readonly iid: number;
  title: string;
  description: string;
  state: 'opened' | 'closed' | 'merged' | 'locked';
  readonly source: string;
  /** The id of the project with the source; undefined for the one of the merge request. */
  fork?: number;
  readonly target: string;
  /** The head when it was closed or merged; before, the branch's tip counts. */
  endSha: string;
  readonly createdAt: Date;
  updatedAt: Date;
  mergedAt: Date | undefined;
  mergeCommit: string;
  squashCommit: string;
  /** The two tips whose merge GitLab is checking, and those that it checked last. */
  checking: string;
  checked: string;
  conflicts: boolean;
  /** A status that keeps it from merging, such as `not_approved`; `''` for none. */
  waitsFor: string;
  readonly discussions: FakeDiscussion[];
  readonly drafts: FakeDraft[];
  readonly labels: string[];
  readonly approvals: { username: string; at: Date }[];
  readonly reviewers: { username: string; state: 'unreviewed' | 'reviewed' | 'requested_changes' }[];
  /** True if it merges when its pipeline has succeeded. */
  autoMerge: boolean;
  /** The commits that were compared for each head, the newest first. */
  readonly versions: FakeVersion[];
}

export interface FakeVersion {
  readonly id: number;
  readonly base: string;
  readonly start: string;
  readonly head: string;
}

/** The place of a note in a diff, with the names of the API. */
export interface FakePosition {
  base_sha: string;
  start_sha: string;
  head_sha: string;
  position_type: string;
  old_path: string;
  new_path: string;
  old_line?: number;
  new_line?: number;
}

export interface FakeNote {
  readonly id: number;
  body: string;
  readonly username: string;
  readonly system: boolean;
  readonly at: Date;
  resolved: boolean;
  readonly position: FakePosition | undefined;
  /** The reactions, as `username name`. */
  readonly awards: Set<string>;
}

export interface FakeDiscussion {
  readonly id: string;
  readonly isIndividual: boolean;
  readonly notes: FakeNote[];
}

export interface FakeDraft {
  readonly id: number;
  readonly username: string;
  readonly note: string;
  readonly position: FakePosition | undefined;
}

export interface FakeIssue {
  readonly iid: number;
  title: string;
  description: string;
  state: 'opened' | 'closed';
  readonly username: string;
  readonly labels: string[];
  readonly createdAt: Date;
  updatedAt: Date;
  readonly discussions: FakeDiscussion[];
}

/** A job of a pipeline, or a status that another CI system set. */
export interface FakeStatus {
  readonly id: number;
  readonly sha: string;
  readonly name: string;
  status: string;
  description: string;
  url: string;
  finishedAt: Date | undefined;
  readonly allowFailure: boolean;
  readonly pipeline: number;
  /** Undefined for a status of another CI system. */
  readonly job: { readonly log: string; readonly failureReason: string } | undefined;
}

export interface FakeHook {
  readonly id: number;
  url: string;
  token: string;
  alertStatus: 'executable' | 'temporarily_disabled' | 'disabled';
}

export interface FakeProject {
  readonly id: number;
  /** For example `group/subgroup/project`. */
  path: string;
  readonly formerPaths: string[];
  visibility: 'private' | 'internal' | 'public';
  markedForDeletion: boolean;
  /** The project's merge method; with `merge`, GitLab joins also a squashed commit by a merge commit. */
  mergeMethod: 'merge' | 'ff';
  readonly roles: Map<string, number>;
  readonly repository: BareRepository;
  readonly mergeRequests: FakeMergeRequest[];
  readonly hooks: FakeHook[];
  readonly issues: FakeIssue[];
  readonly statuses: FakeStatus[];
  readonly pipelines: { readonly id: number; readonly sha: string; status: string }[];
  onlyIfPipelineSucceeds: boolean;
}

/** Everything that a fake GitLab remembers. */
export interface FakeState {
  readonly projects: Map<number, FakeProject>;
  readonly tokens: Map<string, FakeToken>;
  addToken(options?: Partial<Omit<FakeToken, 'token' | 'id'>>): FakeToken;
  addProject(path: string, options?: { id?: number; visibility?: FakeProject['visibility'] }): Promise<FakeProject>;
  /** The number of the account with a user name. */
  accountId(username: string): number;
  /** The accounts by user name, which no token belongs to. */
  readonly people: Map<string, number>;
  /** Renames or moves a project; its former path redirects. */
  move(project: FakeProject, path: string): void;
  /** A new number for anything but merge requests. */
  nextId(): number;
  /** The time, later at each call. */
  now(): Date;
  close(): Promise<void>;
}

export async function createFakeState(): Promise<FakeState> {
  const root = await mkdtemp(join(tmpdir(), 'guildhall-gitlab-'));
  const projects = new Map<number, FakeProject>();
  const tokens = new Map<string, FakeToken>();
  const people = new Map<string, number>();
  let id = 100;
  let time = 0;
  const state: FakeState = {
    projects,
    tokens,
    people,
    accountId(username) {
      const known = [...tokens.values()].find((token) => token.username === username)?.id ?? people.get(username);
      return known ?? people.set(username, state.nextId()).get(username) ?? 0;
    },
    addToken(options = {}) {
      const token: FakeToken = {
        token: `glpat-${'x'.repeat(16)}${state.nextId()}`,
        id: state.nextId(),
        username: 'project_1_bot',
        scopes: ['api'],
        state: 'active',
        role: role.developer,
        ...options,
      };
      tokens.set(token.token, token);
      return token;
    },
    async addProject(path, options = {}) {
      const project: FakeProject = {
        id: options.id ?? state.nextId(),
        path,
        formerPaths: [],
        visibility: options.visibility ?? 'private',
        markedForDeletion: false,
        mergeMethod: 'merge',
        roles: new Map(),
        repository: await createBareRepository(join(root, `${projects.size}.git`)),
        mergeRequests: [],
        hooks: [],
        issues: [],
        statuses: [],
        pipelines: [],
        onlyIfPipelineSucceeds: false,
      };
      projects.set(project.id, project);
      return project;
    },
    move(project, path) {
      project.formerPaths.push(project.path);
      project.path = path;
    },
    nextId: () => (id += 1),
    now: () => new Date((time = Math.max(Date.now(), time + 1))),
    close: () => rm(root, { recursive: true, force: true }),
  };
  return state;
}
