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
  readonly notes: { id: number; body: string }[];
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
}

/** Everything that a fake GitLab remembers. */
export interface FakeState {
  readonly projects: Map<number, FakeProject>;
  readonly tokens: Map<string, FakeToken>;
  addToken(options?: Partial<Omit<FakeToken, 'token' | 'id'>>): FakeToken;
  addProject(path: string, options?: { id?: number; visibility?: FakeProject['visibility'] }): Promise<FakeProject>;
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
  let id = 100;
  let time = 0;
  const state: FakeState = {
    projects,
    tokens,
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
