import { describe, expect, test } from 'vitest';
import type { Discussion, HostComment, HostThread } from '../../../adapters/source-control/collaboration.ts';
import { marked } from './markers.ts';
import { chooseComments, planPost, type Plan, type PostedReview } from './plan.ts';
import { findingText, laterText, summaryText, type StoredFinding } from './texts.ts';
import { deciders, hear } from './threads.ts';

const at = (minute: number): Date => new Date(Date.UTC(2026, 10, 1, 10, minute));
const head = 'a'.repeat(40);
let ids = 0;
const nextId = (prefix: string): string => `${prefix}_${String((ids += 1)).padStart(4, '0')}`;

function finding(change: Partial<StoredFinding> = {}): StoredFinding {
  return {
    id: nextId('fnd'),
    org_id: 'org_1',
    repository_id: 'repo_1',
    change_request_id: 'cr_1',
    number: 1,
    first_review_id: 'rev_1',
    review_id: 'rev_1',
    severity: 'high',
    confidence: 0.9,
    category: 'bug',
    title: 'The sum is wrong',
    body: 'It adds twice.',
    suggestion: '',
    file: 'src/shop.js',
    side: 'new',
    line: 2,
    start_line: null,
    in_diff: true,
    reproduced: false,
    command: '',
    evidence: '$ node check.js\nexpected 3, got 5',
    fingerprint: 'f',
    anchor: 'const sum = a + b + b;',
    status: 'open',
    reason: '',
    comment_id: '',
    fix_session_id: '',
    posting: 'intended',
    thread_resolved: false,
    heard_comment_id: '',
    created_at: at(0),
    updated_at: at(0),
    ...change,
  };
}
const review = (change: Partial<PostedReview> = {}): PostedReview => ({
  id: 'rev_1',
  verdict: 'comment',
  head_sha: head,
  comment_id: '',
  created_at: at(10),
  ...change,
});
const nothing: Discussion = { comments: [], reviews: [], threads: [], labels: [] };
const context = { reviewIds: new Set(['rev_1', 'rev_2']), lastVerdict: '' };

/** A git host in memory: it does what a plan says, and may stop in the middle, as a crash does. */
function createHost(now = { minute: 20 }) {
  const discussion = { comments: [], reviews: [], threads: [], labels: [] } as const;
  const threads: HostThread[] = [];
  const reviews: Discussion['reviews'][number][] = [];
  const write = (login: string, body: string): HostComment => ({
    id: nextId('note'),
    author: { login, isBot: login === 'guildhall' },
    body,
    url: '',
    createdAt: at(now.minute),
  });
  const change = (id: string, edit: (thread: HostThread) => HostThread): void => {
    const place = threads.findIndex((thread) => thread.id === id);
    const thread = threads[place];
    if (thread !== undefined) threads[place] = edit(thread);
  };
  return {
    read: (): Discussion => ({ ...discussion, reviews: [...reviews], threads: [...threads] }),
    say: (id: string, login: string, body: string): void =>
      change(id, (thread) => ({ ...thread, comments: [...thread.comments, write(login, body)] })),
    edit: change,
    /** Posts at most `budget` things, and returns false if that was not all. */
    carryOut(plan: Plan, of: PostedReview, findings: StoredFinding[], budget = Infinity): boolean {
      let left = budget;
      const isSpent = (): boolean => (left -= 1) < 0;
      if (plan.submits) {
        if (isSpent()) return false;
        const text = { ...of, summary: 'Two things.' };
        const body = plan.summaryId === '' ? summaryText(text, findings) : laterText(text, plan.comments.length);
        reviews.push({ ...write('guildhall', body), state: 'commented', headSha: of.head_sha });
        for (const one of plan.comments) {
          if (isSpent()) return false;
          const comments = [write('guildhall', findingText(one))];
          const place = { path: one.file, line: one.line, side: one.side, reviewId: '' } as const;
          threads.push({ id: nextId('thread'), ...place, isResolved: false, isOutdated: false, comments });
        }
      }
      for (const { threadId, body } of plan.replies) {
        if (isSpent()) return false;
        this.say(threadId, 'guildhall', body);
      }
      for (const { threadId } of plan.resolves) {
        if (isSpent()) return false;
        change(threadId, (thread) => ({ ...thread, isResolved: true }));
      }
      return true;
    },
  };
}

describe('a plan', () => {
  test('submits once, and nothing is left to do afterwards', () => {
    const host = createHost();
    const findings = [finding(), finding({ line: 9 })];
    const plan = planPost(review(), findings, nothing, context);
    expect(plan).toMatchObject({ submits: true, summaryId: '', comments: findings });
    host.carryOut(plan, review(), findings);
    const next = planPost(review(), findings, host.read(), context);
    expect(next).toMatchObject({ submits: false, comments: [], replies: [], resolves: [] });
    expect(next.found.map(({ finding: { id } }) => id)).toEqual(findings.map(({ id }) => id));
    expect(next.summaryId).toBe(host.read().reviews[0]?.id);
  });

  test('posts nothing twice and loses nothing, wherever a crash stops it, also at a host that is not atomic', () => {
    for (let budget = 0; budget < 8; budget += 1) {
      const host = createHost();
      const gone = finding({ line: 20, status: 'resolved', reason: head });
      const findings = [finding(), finding({ line: 9 }), gone];
      // The third one was posted by an earlier review.
      const earlier = planPost(review(), [{ ...gone, status: 'open' }], nothing, context);
      host.carryOut(earlier, review(), findings);
      const now = review({ id: 'rev_2' });
      const current = findings.map((one) => ({ ...one, review_id: 'rev_2' }));
      const run = (limit?: number): boolean =>
        host.carryOut(planPost(now, current, host.read(), context), now, current, limit);
      run(budget);
      while (!run());
      const { threads, reviews } = host.read();
      const about = threads.map(({ comments }) => comments.map(({ body }) => body.match(/guildhall:\w+ \w+/)?.[0]));
      expect(new Set(about.map(([first]) => first))).toEqual(
        new Set(current.map(({ id }) => `guildhall:finding ${id}`)),
      );
      expect(about).toHaveLength(current.length);
      expect(threads.filter(({ isResolved }) => isResolved)).toHaveLength(1);
      expect(about.flat().filter((mark) => mark?.startsWith('guildhall:resolved'))).toHaveLength(1);
      const summaries = reviews.filter(({ body }) => body.includes('Two things.'));
      expect(summaries).toHaveLength(1);
    }
  });

  test('says the same finding once, however often it is found and pushed over', () => {
    const host = createHost();
    const one = finding();
    for (let push = 1; push <= 25; push += 1) {
      const now = review({ id: `rev_${push}`, head_sha: String(push % 10).repeat(40) });
      const found = [{ ...one, review_id: now.id }];
      const known = { reviewIds: new Set(Array.from({ length: push }, (_, k) => `rev_${k + 1}`)), lastVerdict: '' };
      host.carryOut(planPost(now, found, host.read(), known), now, found);
    }
    expect(host.read().threads).toHaveLength(1);
    expect(host.read().threads[0]?.comments).toHaveLength(1);
    expect(host.read().reviews).toHaveLength(1);
  });

  test('answers a false "fixed" once, with the place, and a question once; it is silent otherwise', () => {
    const host = createHost({ minute: 5 });
    const findings = [finding()];
    const run = (): void => {
      const of = review({ head_sha: 'b'.repeat(40) });
      host.carryOut(planPost(of, findings, host.read(), context), of, findings);
    };
    run();
    const thread = host.read().threads[0]?.id ?? '';
    const last = (): string => host.read().threads[0]?.comments.at(-1)?.body ?? '';
    host.say(thread, 'ada', 'Fixed.');
    run();
    expect(last()).toContain('Still there in bbbbbbbbbbbb: `src/shop.js:2`');
    for (const body of ['Done!', 'Really fixed now.', 'Thanks.']) host.say(thread, 'ada', body);
    run();
    expect(last()).toBe('Thanks.');
    host.say(thread, 'ada', 'Why was this flagged?');
    run();
    expect(last()).toContain('expected 3, got 5');
    host.say(thread, 'ada', 'And why?');
    run();
    expect(last()).toBe('And why?');
  });

  test('does not refute a claim that is younger than the review', () => {
    const host = createHost({ minute: 30 });
    const findings = [finding()];
    host.carryOut(planPost(review(), findings, nothing, context), review(), findings);
    host.say(host.read().threads[0]?.id ?? '', 'ada', 'Fixed.');
    expect(planPost(review(), findings, host.read(), context).replies).toEqual([]);
  });

  test('posts again what a person deleted: the summary, but no finding that had a thread', () => {
    const posted = finding({ posting: 'posted', comment_id: 'gone' });
    const plan = planPost(review({ comment_id: 'gone too' }), [posted], nothing, context);
    expect(plan).toMatchObject({ submits: true, summaryId: '', comments: [] });
  });

  test('chooses what the policy allows, the most severe first', () => {
    const policy = {
      min_severity: 'medium' as const,
      min_confidence: 0.8,
      max_comments: 2,
      muted_categories: ['style'],
    };
    const found = [
      finding({ posting: '', severity: 'medium' }),
      finding({ posting: '', severity: 'critical' }),
      finding({ posting: '', severity: 'low' }),
      finding({ posting: '', confidence: 0.5 }),
      finding({ posting: '', in_diff: false }),
      finding({ posting: 'refused' }),
      finding({ posting: '', severity: 'critical', category: 'style' }),
      finding({ posting: '', severity: 'high' }),
    ];
    expect(chooseComments('rev_1', policy, found)).toEqual([found[1], found[7]]);
  });
});

describe('a thread', () => {
  const threadOf = (one: StoredFinding, change: Partial<HostThread> = {}, replies: HostComment[] = []): HostThread => ({
    id: one.comment_id,
    path: one.file,
    line: one.line,
    side: 'new',
    isResolved: false,
    isOutdated: false,
    reviewId: '',
    ...change,
    comments: [
      { id: 'n0', author: { login: 'guildhall', isBot: true }, body: findingText(one), url: '', createdAt: at(0) },
      ...replies,
    ],
  });
  const reply = (id: string, login: string, body: string): HostComment => ({
    id,
    author: { login, isBot: false },
    body,
    url: '',
    createdAt: at(1),
  });
  const posted = (): StoredFinding => finding({ posting: 'posted', comment_id: 'thread-1' });

  test('that a person resolves dismisses its finding; if its lines changed, the next review decides', () => {
    const one = posted();
    const resolved = { threads: [threadOf(one, { isResolved: true })] };
    expect(hear([one], resolved, new Set())).toMatchObject([{ id: one.id, dismissal: expect.any(String) }]);
    const outdated = { threads: [threadOf(one, { isResolved: true, isOutdated: true })] };
    expect(hear([one], outdated, new Set())).toMatchObject([{ dismissal: undefined, isResolved: true }]);
    // What the platform resolved itself, or heard before, is no decision.
    expect(hear([{ ...one, thread_resolved: true, heard_comment_id: 'n0' }], resolved, new Set())).toEqual([]);
  });

  test('with "by design" of someone who may write dismisses its finding, once; of others it does not', () => {
    const one = posted();
    const discussion = {
      threads: [threadOf(one, {}, [reply('n1', 'eve', 'By design.'), reply('n2', 'ada', "Won't fix.")])],
    };
    expect(deciders([one], discussion)).toEqual(new Set(['eve', 'ada']));
    expect(hear([one], discussion, new Set(['ada']))).toMatchObject([
      { dismissal: "ada replied: Won't fix.", lastCommentId: 'n2' },
    ]);
    expect(hear([one], discussion, new Set())).toMatchObject([{ dismissal: undefined }]);
    // A person took the dismissal back: the old reply does not count again.
    expect(hear([{ ...one, heard_comment_id: 'n2' }], discussion, new Set(['ada']))).toEqual([]);
  });

  test("with the platform's own words decides nothing", () => {
    const one = posted();
    const own = marked('If it is by design, say so.', 'answer', one.id);
    const discussion = { threads: [threadOf(one, {}, [reply('n1', 'guildhall', own)])] };
    expect(deciders([one], discussion)).toEqual(new Set());
  });
});
