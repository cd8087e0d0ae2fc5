import type { Discussion, HostCheck, HostPermission } from '../../../adapters/source-control/collaboration.ts';
import type { FollowState, Policy } from '../schemas.ts';

export const roundKinds = ['ci', 'review', 'comment', 'conflict', 'push'] as const;
export type RoundKind = (typeof roundKinds)[number];

/** Something that was said and is answered once the round is over. */
export interface Question {
  /** The thread; `''` for a comment on the whole change request. */
  readonly threadId: string;
  /** The comment or review that asks. */
  readonly id: string;
  /** True if a program opened it. */
  readonly isBots: boolean;
}

/** A round of the session: one message, and what follows from it. */
export interface Round {
  readonly key: string;
  readonly kind: RoundKind;
  readonly headSha: string;
  readonly at: number;
  readonly questions: readonly Question[];
  /** True if a person asks; absent in rounds of earlier versions. */
  readonly isPersons?: boolean;
}

/** The memory of a change request. Nothing of it is derived from the host's log, so no two loops reset each other. */
export interface Memory {
  /** When following began, in milliseconds. */
  since: number;
  /** Count against their limits. */
  ciRounds: number;
  reviewRounds: number;
  conflictRounds: number;
  pushes: number;
  /** Never reset. */
  rounds: number;
  fixed: number;
  reruns: number;
  /** The head whose failed checks were run again. */
  rerunHead: string;
  /** True once a person's commit or review reset `ciRounds`. */
  wasReset: boolean;
  round: Round | null;
  /** The failures of the last round for checks. */
  fingerprints: readonly string[];
  /** Commits on the branch in a row that are not the session's, without a message. */
  foreign: number;
  /** Comments and reviews that were handled, the newest last. */
  seen: readonly string[];
  /** True once any head had a check. */
  hadChecks: boolean;
  /** Checks that succeeded on the current head. */
  passed: readonly string[];
  /** When the current head was first seen, and when anything last changed, in milliseconds. */
  headAt: number;
  changedAt: number;
  /** The state that {@link changedAt} is about. */
  digest: string;
  /** When checks turned red; null while they are not. */
  redAt: number | null;
  /** The times from red to green, in milliseconds, the newest last. */
  mended: readonly number[];
  /** True once it needed a person. */
  neededPerson: boolean;
  /** Commits that a person, and not the session, pushed. */
  humanCommits: number;
  /** Keys of what was said once. */
  said: readonly string[];
  /** The reason while the repository cannot be read; absent otherwise. */
  unread?: string;
}

export interface Row {
  readonly state: FollowState;
  readonly reason: string;
  readonly headSha: string;
  readonly memory: Memory;
}

export interface SessionFacts {
  /** `busy` has work to do; `idle` ended its turn; `failed`, `canceled` and `gone` cannot take a message. */
  readonly state: 'busy' | 'idle' | 'waiting' | 'failed' | 'canceled' | 'gone';
  /** The commit that it pushed last; `''` for none. */
  readonly pushedSha: string;
  /** True if its last check showed that the change fixes the problem. */
  readonly isVerified: boolean;
  /** False once its budget is used up. */
  readonly hasBudget: boolean;
  /** The reason why it failed, for members of the organization; `''` unless it did. */
  readonly blocked: string;
  /** The code of that reason; `''` for none. */
  readonly failure: string;
}

/** The present state of a change request, at the git host and the platform. */
export interface Facts {
  /** In milliseconds. */
  readonly now: number;
  readonly change: {
    readonly state: 'open' | 'merged' | 'closed';
    readonly headSha: string;
    readonly headRef: string;
    readonly isDraft: boolean;
    /** Undefined while the host has not determined it. */
    readonly mergeable: boolean | undefined;
    /** True if the host refuses to merge because the base branch has newer commits. */
    readonly isBehind: boolean;
  };
  /** Undefined where the host offers none. */
  readonly checks: readonly HostCheck[] | undefined;
  readonly baseChecks: readonly HostCheck[] | undefined;
  readonly discussion: Discussion | undefined;
  /** Permissions by login of those who spoke. */
  readonly permissions: Readonly<Record<string, HostPermission>>;
  /** The account that acts for the platform; `''` for the built-in host. */
  readonly botLogin: string;
  /** The login of who asked for the work; `''` if the host does not know them. */
  readonly requester: string;
  /** Failure fingerprints of failed checks by id. */
  readonly fingerprints: Readonly<Record<string, string>>;
  readonly session: SessionFacts;
  /** The commit for which the platform lets the host merge by itself, `''` for none, and how often that was taken back. */
  readonly autoMerge: { readonly sha: string; readonly offs: number };
  /** True for the built-in host, where the platform itself merges. */
  readonly mergesItself: boolean;
  readonly canRerun: boolean;
  /** The guardrail on all rounds; 0 for none. */
  readonly maxRounds: number;
  /** Tests that the session deleted or skipped, and workflow files that it changed, in its round. */
  readonly weakened: readonly string[];
}

/** A step to take, once for each key. */
export type Action = { readonly key: string } & (
  | {
      readonly type: 'message';
      readonly round: Round;
      /** Ids of failed checks, and of what was said. */
      readonly checks: readonly string[];
      readonly ids: readonly string[];
    }
  | { readonly type: 'rerun'; readonly checkIds: readonly string[] }
  /** Posts a comment: in a thread, or on the whole change request. */
  | { readonly type: 'say'; readonly text: string; readonly threadId?: string }
  /** Answers questions of a round with what the session said. */
  | {
      readonly type: 'answer';
      readonly roundKey: string;
      readonly questions: readonly Question[];
      /** The commit that answers; `''` if the head did not change. */
      readonly commit: string;
      readonly resolve: readonly string[];
    }
  | { readonly type: 'merge'; readonly headSha: string }
  /** Lets the host merge a head by itself, or takes that back. */
  | { readonly type: 'auto_merge'; readonly headSha: string }
  | { readonly type: 'auto_merge_off' }
  | { readonly type: 'finish'; readonly outcome: 'merged' | 'closed' }
);

export interface Decision {
  readonly row: Row;
  readonly actions: readonly Action[];
  /** When to decide again without an event, in milliseconds; null for never. */
  readonly lookAt: number | null;
}

/** A decision in the making. */
export interface Draft {
  readonly policy: Policy;
  readonly before: Row;
  readonly facts: Facts;
  readonly memory: Memory;
  readonly actions: Action[];
  /** True if nothing speaks against a merge of the present head by the host. */
  mayAutoMerge: boolean;
  /** When to look again, at the latest. */
  lookAt: number;
}

export function newMemory(now: number): Memory {
  return {
    since: now,
    ciRounds: 0,
    reviewRounds: 0,
    conflictRounds: 0,
    pushes: 0,
    rounds: 0,
    fixed: 0,
    reruns: 0,
    rerunHead: '',
    wasReset: false,
    round: null,
    fingerprints: [],
    foreign: 0,
    seen: [],
    hadChecks: false,
    passed: [],
    headAt: now,
    changedAt: now,
    digest: '',
    redAt: null,
    mended: [],
    neededPerson: false,
    humanCommits: 0,
    said: [],
  };
}
