import { Type } from 'typebox';
import { isBranchName } from '../../../git/names.ts';
import { defineNamespace } from './define.ts';
import { Flag, Texts, titled, Value, Word } from './fields.ts';

const commits = 'Branches and commits';
const changeRequests = 'Change requests';

export const sourceControl = defineNamespace({
  title: 'Source control',
  value: Value({
    branch_prefix: titled(
      'Branch prefix',
      Word(100, "The beginning of a session's branch name, e.g. `guildhall/`.", { default: 'guildhall/' }),
      { group: commits },
    ),
    commit_author: titled(
      'Commit author',
      Value({
        name: titled('Name', Type.String({ minLength: 1, maxLength: 200, default: 'Guildhall' })),
        email: titled('E-mail', Type.String({ minLength: 1, maxLength: 320, default: 'guildhall@localhost' })),
      }),
      { group: commits },
    ),
    draft_by_default: titled(
      'Drafts by default',
      Flag(false, 'true: a session that does not set `draft` opens draft change requests.'),
      { group: changeRequests },
    ),
    labels: titled('Labels', Texts(50, 100, 'Listed as labels in the text of change requests that sessions open.'), {
      group: changeRequests,
    }),
    reviewers: titled(
      'Reviewers',
      Texts(50, 200, 'Listed as reviewers in the text of change requests that sessions open.'),
      { group: changeRequests },
    ),
  }),
  enforced: true,
  example: { branch_prefix: 'agents/', draft_by_default: true, reviewers: ['ada'] },
  problems: ({ branch_prefix: prefix, commit_author: author }) => [
    ...(isBranchPrefix(prefix)
      ? []
      : [{ path: '/branch_prefix', message: 'must begin a valid git branch name, e.g. "guildhall/"' }]),
    ...(['name', 'email'] as const).flatMap((key) =>
      isIdent(author[key])
        ? []
        : [{ path: `/commit_author/${key}`, message: 'must be valid in a git commit, without <, > and line breaks' }],
    ),
  ],
});

/** Returns true if every name with this prefix is a valid branch name that git does not read as another kind of ref. */
function isBranchPrefix(prefix: string): boolean {
  return prefix === '' || (isBranchName(`${prefix}x`) && !/^(refs|heads|remotes|tags)\//.test(prefix));
}

/** Git drops these characters from a name or an address and refuses an empty rest. */
function isIdent(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- a commit's header is made of lines
  return !/[<>\u0000-\u001f\u007f]/.test(text) && /[^\s.,:;"'\\]/.test(text);
}
