import { Link } from '@tanstack/react-router';
import { useMemo, type ReactNode } from 'react';
import type { Components } from 'react-markdown';
import { Diagram } from '../../../ui/diagram/Diagram.tsx';
import { parseFlowchart } from '../../../ui/diagram/flowchart.ts';
import { Markdown } from '../../sessions/timeline/Markdown.tsx';
import type { Repository } from '../queries.ts';
import { addressOf } from '../search/results.ts';
import { targetOf } from './pages.ts';

interface Props {
  org: string;
  repository: Repository;
  text: string;
}

/** Text of a wiki: its links lead to lines and to other pages, and its flowcharts are drawn. */
export function WikiText({ org, repository, text }: Props) {
  const components = useMemo<Components>(
    () => ({
      a: ({ href = '', children }) => (
        <WikiLink org={org} repository={repository} href={href}>
          {children}
        </WikiLink>
      ),
      code: ({ className, children }) => {
        const isChart = className === 'language-mermaid' && typeof children === 'string';
        const chart = isChart ? parseFlowchart(children) : undefined;
        return chart === undefined ? <code className={className}>{children}</code> : <Diagram chart={chart} />;
      },
    }),
    [org, repository],
  );
  return <Markdown text={text} components={components} />;
}

function WikiLink({ org, repository, href, children }: Omit<Props, 'text'> & { href: string; children: ReactNode }) {
  const target = targetOf(href);
  const { id } = repository;
  if (target.kind === 'page')
    return (
      <Link
        to="/$org/repositories/$id"
        params={{ org, id }}
        search={{ tab: 'wiki', page: target.slug }}
        className="underline"
      >
        {children}
      </Link>
    );
  if (target.kind === 'line' && repository.provider === 'local')
    return (
      <Link
        to="/$org/repositories/$id"
        params={{ org, id }}
        search={{ tab: 'search', kind: 'path', q: target.path.slice(-200) }}
        title={`${target.path}, line ${target.line}`}
        className="underline"
      >
        {children}
      </Link>
    );
  const address = target.kind === 'line' ? addressOf(repository, target.commit, target) : target.href;
  if (address === undefined) return children;
  return (
    <a href={address} title={address} target="_blank" rel="noreferrer noopener" className="underline">
      {children}
    </a>
  );
}
