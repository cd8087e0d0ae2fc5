import { Type } from 'typebox';
import { OneOf } from '../../../http/schema.ts';
import { agentExists } from '../store.ts';
import { defineNamespace } from './define.ts';
import { Flag, Texts, titled, Value, Whole, Word } from './fields.ts';

const severities = ['pre_existing', 'low', 'medium', 'high', 'critical'] as const;
const severityTexts: Record<(typeof severities)[number], string> = {
  pre_existing: 'Not from this change',
  low: 'Low',
  medium: 'Medium',
  high: 'High',
  critical: 'Critical',
};
const start = 'What is reviewed';
const comments = 'Comments';

/** The review policy of repositories that have none of their own. */
export const reviews = defineNamespace({
  title: 'Reviews',
  value: Value({
    mode: titled(
      'Review by itself',
      OneOf(['off', 'once', 'every_push'], {
        default: 'off',
        description:
          'What starts a review: only a request (`off`), the opening of a change request (`once`), or also each push to it.',
      }),
      {
        group: start,
        texts: { off: 'On request only', once: 'When a change request is opened', every_push: 'After every push' },
      },
    ),
    agent_id: titled('Reviewer', Word(64, "Id of the agent that reviews. '' is `Linters`, which needs no model."), {
      picker: 'agent',
      group: start,
    }),
    drafts: titled('Drafts', Flag(false, 'true: reviews drafts too.'), { group: start }),
    own_changes: titled('Changes of sessions', Flag(false, 'true: reviews what sessions proposed, too.'), {
      group: start,
    }),
    max_changed_lines: titled(
      'Largest change',
      Whole(
        1,
        100_000,
        3_000,
        'A change with more lines, without those of generated files, is not reviewed by itself.',
      ),
      { unit: 'lines', group: start },
    ),
    post: titled('Post findings', Flag(true, 'false: findings are only stored.'), { group: comments }),
    max_comments: titled('Most comments', Whole(0, 50, 6, 'The most comments on lines that one review posts.'), {
      unit: 'comments',
      group: comments,
    }),
    min_severity: titled(
      'Least severity',
      OneOf(severities, { default: 'medium', description: 'The lowest severity that gets a comment of its own.' }),
      { group: comments, texts: severityTexts },
    ),
    min_confidence: titled(
      'Least confidence',
      Type.Number({
        minimum: 0,
        maximum: 1,
        default: 0.8,
        description: 'The lowest confidence, from 0 to 1, that gets a comment of its own.',
      }),
      { group: comments },
    ),
    muted_categories: titled(
      'Muted categories',
      Texts(100, 100, 'Findings of these categories get no comment of their own.'),
      { group: comments },
    ),
    request_changes_from: titled(
      'Request changes from',
      OneOf(['', ...severities], {
        default: '',
        description: "The lowest severity of an open finding with which a review requests changes. '' is never.",
      }),
      { group: comments, texts: { '': 'Never', ...severityTexts } },
    ),
    instructions: titled('Instructions', Word(20_000, "For every reviewer, after the repository's `REVIEW.md`."), {
      group: start,
    }),
  }),
  enforced: true,
  example: { mode: 'once', request_changes_from: 'high' },
  async missing({ trx, orgId }, { agent_id: id }) {
    if (id === '' || (await agentExists(trx, orgId, id))) return [];
    return [{ path: '/agent_id', message: 'does not exist in this organization' }];
  },
});
