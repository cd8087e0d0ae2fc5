import type {
  Discussion,
  HostCheck,
  HostComment,
  HostReview,
  HostThread,
} from '../../../adapters/source-control/collaboration.ts';
import { defaultPolicy, type Policy } from '../schemas.ts';
import { decide } from './decide.ts';
import { decideUnread } from './unread.ts';
import { newMemory, type Action, type Facts, type Row } from './types.ts';

/** A git host and a session, in memory, around the decision: what happens to it is what a scenario says. */
export interface World {
  policy: Policy;
  facts: Facts;
  row: Row;
  /** All actions so far. */
  actions: Action[];
  /** All states so far, without repetitions. */
  states: string[];
  /** Numbers commits, checks and comments. */
  count: number;
  /** The reason why its repository cannot be read; `''` if it can. */
  unread: string;
}

const minute = 60_000;
const start = Date.UTC(2026, 0, 1);

export function newWorld(policy: Partial<Policy> = {}, facts: Partial<Facts> = {}): World {
  return {
    policy: { ...defaultPolicy, ...policy },
    facts: {
      now: start,
      change: { state: 'open', headSha: 'c0', headRef: 'work', isDraft: false, mergeable: true, isBehind: false },
      checks: [],
      baseChecks: [],
      discussion: { comments: [], reviews: [], threads: [], labels: [] },
      permissions: { ada: 'write', bob: 'admin', mallory: 'read' },
      botLogin: 'guildhall[bot]',
      requester: 'bob',
      fingerprints: {},
      session: { state: 'idle', pushedSha: 'c0', isVerified: true, hasBudget: true, blocked: '', failure: '' },
      autoMerge: { sha: '', offs: 0 },
      mergesItself: false,
      canRerun: true,
      maxRounds: 0,
      weakened: [],
      ...facts,
    },
    row: { state: 'watching', reason: '', headSha: '', memory: newMemory(start) },
    actions: [],
    states: [],
    count: 0,
    unread: '',
  };
}

/** Looks once, after some minutes. A message starts the session. */
export function look(world: World, minutes = 0): void {
  change(world, { now: world.facts.now + minutes * minute });
  const { policy, row: before, facts, unread: problem } = world;
  const { row, actions } =
    problem === '' ? decide(policy, before, facts) : decideUnread(policy, before, { ...facts, problem });
  world.row = row;
  for (const action of actions) if (!world.actions.some(({ key }) => key === action.key)) carryOut(world, action);
  if (world.states.at(-1) !== row.state) world.states.push(row.state);
}

function carryOut(world: World, action: Action): void {
  world.actions.push(action);
  if (action.type === 'message') sessionIs(world, 'busy');
  const { sha, offs } = world.facts.autoMerge;
  if (action.type === 'auto_merge') change(world, { autoMerge: { sha: action.headSha, offs } });
  if (action.type === 'auto_merge_off' && sha !== '') change(world, { autoMerge: { sha: '', offs: offs + 1 } });
  if (action.type === 'rerun')
    change(world, {
      checks: (world.facts.checks ?? []).map((one) =>
        action.checkIds.includes(one.id) ? { ...one, state: 'pending' } : one,
      ),
    });
  if (action.type === 'say' || action.type === 'answer')
    say(world, 'guildhall[bot]', `done <!-- guildhall:${action.key} -->`);
}

/** Looks until the change has been still for long enough. */
export function settle(world: World): void {
  look(world);
  look(world, 2);
}

export function change(world: World, facts: Partial<Facts>): void {
  world.facts = { ...world.facts, ...facts };
}

export function sessionIs(world: World, state: Facts['session']['state'], more: Partial<Facts['session']> = {}): void {
  change(world, { session: { ...world.facts.session, state, ...more } });
}

/** A commit of the session, or of someone else; checks start over. */
export function push(world: World, by: 'session' | 'person'): void {
  const headSha = `c${(world.count += 1)}`;
  change(world, { change: { ...world.facts.change, headSha }, checks: [] });
  if (by === 'session') sessionIs(world, world.facts.session.state, { pushedSha: headSha });
}

/** The session ends its turn, with a commit or without. */
export function finishTurn(world: World, commits: boolean): void {
  if (commits) push(world, 'session');
  sessionIs(world, 'idle');
}

export function check(
  world: World,
  name: string,
  state: HostCheck['state'],
  more: Partial<HostCheck> & { error?: string } = {},
): void {
  const id = `k${(world.count += 1)}`;
  const { error = name, ...rest } = more;
  const one = { id, name, state, description: '', url: '', isRequired: undefined, endedAt: null, ...rest };
  const others = (world.facts.checks ?? []).filter((other) => other.name !== name);
  change(world, { checks: [...others, one], fingerprints: { ...world.facts.fingerprints, [id]: `${name}: ${error}` } });
}

function discuss(world: World, more: Partial<Discussion>): void {
  const { discussion = { comments: [], reviews: [], threads: [], labels: [] } } = world.facts;
  change(world, { discussion: { ...discussion, ...more } });
}

function comment(world: World, login: string, body: string): HostComment {
  const id = String((world.count += 1));
  const author = { login, isBot: login.endsWith('[bot]') };
  return { id, author, body, url: '', createdAt: new Date(world.facts.now) };
}

export function say(world: World, login: string, body: string): void {
  discuss(world, { comments: [...(world.facts.discussion?.comments ?? []), comment(world, login, body)] });
}

export function label(world: World, ...labels: string[]): void {
  discuss(world, { labels });
}

export function review(
  world: World,
  login: string,
  state: HostReview['state'],
  lines: readonly string[] = [],
  body = '',
): void {
  const said = { ...comment(world, login, body), state, headSha: world.facts.change.headSha };
  const threads = lines.map((text): HostThread => ({
    id: `t${(world.count += 1)}`,
    path: 'a.js',
    line: 1,
    side: 'new',
    isResolved: false,
    isOutdated: false,
    comments: [comment(world, login, text)],
    reviewId: said.id,
  }));
  const { reviews = [], threads: known = [] } = world.facts.discussion ?? {};
  discuss(world, { reviews: [...reviews, said], threads: [...known, ...threads] });
}

export function resolveThreads(world: World): void {
  discuss(world, {
    threads: (world.facts.discussion?.threads ?? []).map((thread) => ({ ...thread, isResolved: true })),
  });
}

/** Returns the kinds of actions so far, for rounds with what they are about. */
export function done(world: World): string[] {
  return world.actions.map((action) => (action.type === 'message' ? `round ${action.round.kind}` : action.type));
}
