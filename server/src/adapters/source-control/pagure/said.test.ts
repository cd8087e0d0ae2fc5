import { Value } from 'typebox/value';
import { expect, test } from 'vitest';
import { commentOf, issueOf, SaidComment, SaidIssue } from './said.ts';

const user = { fullname: 'Grace', name: 'grace', url_path: 'user/grace' };

// As https://pagure.io/api/0/ shows them.
const issue = {
  assignee: null,
  blocks: [],
  comments: [],
  content: '@guildhall fix this',
  date_created: '1795494377',
  depends: [],
  full_url: 'https://pagure.example.com/tools/web/issue/12',
  id: 12,
  last_updated: '1795494400',
  private: false,
  status: 'Open',
  tags: ['bug'],
  title: 'Two and two is nothing',
  user,
};

test('an issue and a comment keep who wrote them, and when', () => {
  expect(Value.Check(SaidIssue, issue)).toBe(true);
  expect(issueOf(issue)).toEqual({
    number: 12,
    state: 'open',
    title: 'Two and two is nothing',
    body: '@guildhall fix this',
    author: { login: 'grace', isBot: false },
    labels: ['bug'],
    url: 'https://pagure.example.com/tools/web/issue/12',
    createdAt: new Date(1_795_494_377_000),
    updatedAt: new Date(1_795_494_400_000),
  });
  const comment = {
    comment: 'Yes, @guildhall.',
    date_created: '1795494388',
    edited_on: null,
    editor: null,
    id: 5,
    notification: false,
    parent: null,
    user,
  };
  expect(Value.Check(SaidComment, comment)).toBe(true);
  expect(commentOf(comment, 'https://pagure.example.com/tools/web/issue/12')).toEqual({
    id: '5',
    author: { login: 'grace', isBot: false },
    body: 'Yes, @guildhall.',
    url: 'https://pagure.example.com/tools/web/issue/12#comment-5',
    createdAt: new Date(1_795_494_388_000),
  });
});
