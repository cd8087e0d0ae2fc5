import { Type, type Static } from 'typebox';
import {
  Body,
  defaults,
  explain,
  Id,
  ListQuery,
  NullableInteger,
  NullableTimestamp,
  OneOf,
  Principal,
  record,
  Text,
  Timestamp,
} from '../../http/schema.ts';
import { providers } from '../../lib/providers.ts';
import { defaultsOf } from '../settings/service.ts';
import { maxBody, maxTitle, severities } from './output.ts';

export const reviewStatuses = ['queued', 'running', 'completed', 'failed', 'superseded', 'canceled'] as const;
export type ReviewStatus = (typeof reviewStatuses)[number];
const reviewPostings = ['', 'pending', 'posted', 'not_offered', 'failed'] as const;
export const findingStatuses = ['open', 'resolved', 'dismissed'] as const;
export type FindingStatus = (typeof findingStatuses)[number];
/** Longest instructions, in characters. */
const maxInstructions = 20_000;

export const Review = record(
  'Review',
  Type.Object({
    id: Id,
    repository_id: Id,
    provider: OneOf(providers),
    repo: Type.String(),
    number: Type.Integer(),
    base_sha: Type.String(),
    head_sha: Type.String(),
    status: OneOf(reviewStatuses),
    verdict: OneOf(['', 'comment', 'request_changes', 'approve']),
    summary: Type.String(),
    problem: Type.String(),
    posting: OneOf(reviewPostings),
    posting_problem: Type.String(),
    findings_count: Type.Integer(),
    session_id: Type.String(),
    agent_id: Type.String(),
    proof_session_id: Type.String(),
    instructions: Type.String(),
    trigger: OneOf(['request', 'policy']),
    created_by: Principal,
    created_at: Timestamp,
    completed_at: NullableTimestamp,
  }),
);

export const Finding = record(
  'Finding',
  Type.Object({
    id: Id,
    review_id: Id,
    repository_id: Id,
    number: Type.Integer(),
    severity: OneOf(severities),
    confidence: Type.Number({ minimum: 0, maximum: 1 }),
    category: Type.String(),
    title: Type.String(),
    body: Type.String(),
    suggestion: Type.String(),
    file: Type.String(),
    side: OneOf(['old', 'new']),
    line: NullableInteger,
    start_line: NullableInteger,
    in_diff: Type.Boolean(),
    evidence: Type.String(),
    reproduced: Type.Boolean(),
    command: Type.String(),
    status: OneOf(findingStatuses),
    reason: Type.String(),
    fingerprint: Type.String(),
    comment_id: Type.String(),
    fix_session_id: Type.String(),
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
);

export const ReviewQuery = ListQuery({
  status: Type.Optional(Text(200, { description: reviewStatuses.join(', ') })),
  repository_id: Type.Optional(Text(1_000, { description: 'One repository, or several separated by commas.' })),
  number: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'Of the change request.' })),
});
export type ReviewQuery = Static<typeof ReviewQuery>;

export const FindingQuery = ListQuery({
  status: Type.Optional(Text(100, { description: findingStatuses.join(', ') })),
  severity: Type.Optional(Text(100, { description: severities.join(', ') })),
});
export type FindingQuery = Static<typeof FindingQuery>;

export const CreateReview = Body({
  url: Type.Optional(Text(2_000, { minLength: 1 })),
  provider: Type.Optional(OneOf(providers)),
  repo: Type.Optional(Text(200, { minLength: 1 })),
  number: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647 })),
  commit_sha: Type.Optional(Text(64, { pattern: '^[0-9a-f]{40}([0-9a-f]{24})?$', 'x-form': 'a full commit id' })),
  instructions: Type.Optional(Text(maxInstructions)),
});
export type CreateReview = Static<typeof CreateReview>;

export const UpdateFinding = Body({
  status: Type.Optional(OneOf(['open', 'dismissed'])),
  reason: Type.Optional(Text(2_000)),
});
export type UpdateFinding = Static<typeof UpdateFinding>;

const policy = {
  mode: OneOf(['off', 'once', 'every_push']),
  agent_id: Type.String({ maxLength: 64 }),
  drafts: Type.Boolean(),
  own_changes: Type.Boolean(),
  post: Type.Boolean(),
  max_comments: Type.Integer({ minimum: 0, maximum: 50 }),
  min_severity: OneOf(severities),
  min_confidence: Type.Number({ minimum: 0, maximum: 1 }),
  muted_categories: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 100, uniqueItems: true }),
  request_changes_from: OneOf(['', ...severities]),
  max_changed_lines: Type.Integer({ minimum: 1, maximum: 100_000 }),
  instructions: Type.String({ maxLength: maxInstructions }),
};

export const ReviewPolicy = record(
  'ReviewPolicy',
  Type.Object({ repository_id: Id, ...policy, updated_at: NullableTimestamp }),
);
const fields = Type.Object(policy);
export type Policy = Static<typeof fields>;

export const ReplaceReviewPolicy = Body({
  mode: Type.Optional(policy.mode),
  agent_id: Type.Optional(policy.agent_id),
  drafts: Type.Optional(policy.drafts),
  own_changes: Type.Optional(policy.own_changes),
  post: Type.Optional(policy.post),
  max_comments: Type.Optional(policy.max_comments),
  min_severity: Type.Optional(policy.min_severity),
  min_confidence: Type.Optional(policy.min_confidence),
  muted_categories: Type.Optional(policy.muted_categories),
  request_changes_from: Type.Optional(policy.request_changes_from),
  max_changed_lines: Type.Optional(policy.max_changed_lines),
  instructions: Type.Optional(policy.instructions),
});
export type ReplaceReviewPolicy = Static<typeof ReplaceReviewPolicy>;

const policyMeanings = {
  mode: 'What starts a review: only a request (`off`), the opening of a change request (`once`), or also each push to it.',
  agent_id:
    'The agent that reviews; "" for `Linters`, an agent without a model that runs the linters of the repository. An agent of the runtime `script` writes its findings to the file that `GUILDHALL_OUTPUT` names.',
  drafts: 'True to review drafts too.',
  own_changes: 'True to review what sessions of this installation proposed, too.',
  post: 'True to post the findings on the change request; otherwise they are only stored.',
  max_comments: 'The most findings that get a comment of their own in one review; its summary lists the others.',
  min_severity: 'The lowest severity that gets a comment of its own.',
  min_confidence: 'The lowest confidence that gets a comment of its own.',
  muted_categories: 'Categories whose findings get no comment of their own.',
  request_changes_from:
    'The lowest severity of an open finding with which the verdict is `request_changes`; "" for never.',
  max_changed_lines: 'A change with more lines, without those of generated files, is not reviewed by the policy.',
  instructions: "For every reviewer, after the repository's `REVIEW.md` of the base branch.",
};
explain('ReviewPolicy', { repository_id: 'The repository that it holds for.', ...policyMeanings });
explain('ReplaceReviewPolicyRequest', policyMeanings);
// Those of the settings `reviews`, unless the organization set others there.
defaults('ReplaceReviewPolicyRequest', defaultsOf('reviews'));
explain('Review', {
  repository_id: 'The repository of the change request.',
  number: 'Of the change request.',
  base_sha: 'The commit that the change begins at.',
  head_sha: 'The reviewed commit.',
  status: '`superseded`: a newer commit was reviewed before this review ended.',
  verdict: '"" before it completed.',
  summary: "The reviewer's summary.",
  problem: 'Why it failed; "" unless it did.',
  posting:
    'State of its post on the change request: "" before it completed, or if the policy posts nothing; `not_offered`: the git host takes no reviews, so it is stored only.',
  posting_problem: 'Why it was not posted, or not yet; "" for no problem.',
  findings_count: 'Findings that it confirmed.',
  session_id: 'The session that reviews; "" before it exists.',
  agent_id: 'The agent that reviews; "" before its session exists.',
  proof_session_id: 'The session that runs the commands of its findings on both commits; "" for none.',
  instructions: 'Those of the request.',
  trigger: 'A request, or the policy of the repository.',
  completed_at: 'When it ended; null before.',
});
explain('Finding', {
  repository_id: 'The repository of the change request.',
  severity: 'How bad it is, from `low` to `critical`; `pre_existing` if the change did not bring it.',
  file: 'Its path in the reviewed commit.',
  status: '`resolved`: a later review no longer found it; `dismissed`: a person decided so.',
  review_id: 'The last review that confirmed it.',
  number: 'Of the change request.',
  confidence: 'From 0 to 1; linters are sure.',
  category: 'The rule of a linter, or the kind of problem in the words of the reviewer.',
  title: `At most ${maxTitle} characters.`,
  body: `Markdown, at most ${maxBody} characters.`,
  suggestion: 'The lines that should stand there instead; "" for none.',
  side: 'The side of the diff that `line` counts in.',
  line: 'null for the whole file.',
  start_line: 'The first line, if the finding spans several.',
  in_diff: 'True if the change added or changed the line.',
  evidence: 'A command that shows the problem, and what it printed; "" for none.',
  reproduced: 'True if the platform ran `command` and saw it fail on the head for this reason, and not on the base.',
  command: 'A command that shows the problem, as the reviewer named it; "" for none.',
  reason: 'Why it was dismissed, in the words of the person where there are some, or the commit without it.',
  fingerprint: 'Identifies it over pushes, and in later change requests.',
  comment_id: 'Its thread on the change request, as the git host names it; "" for none.',
  fix_session_id: 'The session that was started to fix it; "" for none.',
});
explain('CreateReviewRequest', {
  url: 'Address of the change request. Omit it to send `repo` and `number`.',
  provider: 'Omit it unless several providers have a repository of this name, or with `url`.',
  repo: '`owner/name`; omit it with `url`.',
  number: 'Of the change request; omit it with `url`.',
  commit_sha: 'Omit it for the current head. Any other is refused with 409, unless it was reviewed.',
  instructions: 'For this review.',
});
explain('UpdateFindingRequest', {
  status: '`dismissed` is final for this change request and remembered for later ones; `open` takes it back.',
  reason: 'Why, for people and later reviews.',
});
defaults('CreateReviewRequest', { instructions: '' });
