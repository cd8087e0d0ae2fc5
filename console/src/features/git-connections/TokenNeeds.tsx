import type { ReactNode } from 'react';
import type { TokenProvider } from './words.ts';

/** What the token of a git host must be allowed. */
export function TokenNeeds({ provider }: { provider: TokenProvider }) {
  return (
    <section
      aria-label="What the token needs"
      className="flex max-w-[72ch] flex-col gap-2 rounded-control border border-line bg-surface px-4 py-3"
    >
      <h2 className="font-medium">What the token needs</h2>
      {needs[provider]}
    </section>
  );
}

const list = 'flex list-disc flex-col gap-1 pl-4';

function Permission({ children }: { children: string }) {
  return <code className="text-ink">{children}</code>;
}

const needs: Record<TokenProvider, ReactNode> = {
  github: (
    <ul className={list}>
      <li>
        A classic token: the scope <Permission>repo</Permission>.
      </li>
      <li>
        A fine-grained token: <Permission>contents</Permission>, <Permission>pull requests</Permission> and{' '}
        <Permission>commit statuses</Permission>, each to read and write, for the repositories that you select.
      </li>
      <li>Merges, pull requests and comments have the person who created the token as their author.</li>
    </ul>
  ),
  gitlab: (
    <ul className={list}>
      <li>
        The scope <Permission>api</Permission>, which includes git, and the role Developer.
      </li>
      <li>
        A token of a project or a group acts as its bot user and reaches that project or the projects of that group. A
        personal token acts as the person who created it.
      </li>
      <li>To merge into a protected branch, it needs the role that the branch’s protection allows.</li>
    </ul>
  ),
  pagure: (
    <ul className={list}>
      <li>
        The permissions <Permission>commit</Permission>, <Permission>pull_request_create</Permission>,{' '}
        <Permission>pull_request_update</Permission>, <Permission>pull_request_comment</Permission>,{' '}
        <Permission>pull_request_merge</Permission> and <Permission>pull_request_close</Permission>.
      </li>
      <li>
        A token of the project can have all of them. On most servers, a token of an account cannot comment, merge or
        close.
      </li>
      <li>Its account must have commit access. Pagure’s API shows public projects only.</li>
    </ul>
  ),
};
