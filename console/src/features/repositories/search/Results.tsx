import type { ReactNode } from 'react';
import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../../lib/api.ts';
import { count } from '../../../lib/format.ts';
import { Chip } from '../../../ui/Chip.tsx';
import { CopyButton } from '../../../ui/Copy.tsx';
import { Empty } from '../../../ui/Notice.tsx';
import { useCan } from '../../shell/useCan.ts';
import type { Repository } from '../queries.ts';
import type { SearchResult } from './queries.ts';
import { addressOf, byFile, partsOf, type FileResults } from './results.ts';

interface Props {
  org: string;
  repository: Repository;
  q: string;
  found: Schemas['RepositorySearchResults'];
}

/** What was found, by file. */
export function Results({ org, repository, q, found: { commit, items, has_more: hasMore } }: Props) {
  if (items.length === 0) return <Empty>Nothing in the repository fits “{q}”.</Empty>;
  const files = byFile(items);
  return (
    <section aria-label="Results" className="flex flex-col px-4 py-3 sm:px-6">
      <p role="status" className="pb-2 text-ink-3">
        {hasMore
          ? `The first ${count(items.length)} results`
          : items.length === 1
            ? '1 result'
            : `${count(items.length)} results`}{' '}
        {files.length === 1 ? 'in 1 file' : `in ${count(files.length)} files`}, at <code>{commit.slice(0, 10)}</code>
      </p>
      {files.map((file) => (
        <File key={file.path} org={org} repository={repository} q={q} commit={commit} file={file} />
      ))}
    </section>
  );
}

interface FileProps {
  org: string;
  repository: Repository;
  q: string;
  commit: string;
  file: FileResults;
}

function File({ org, repository, q, commit, file: { path, lines } }: FileProps) {
  const canRun = useCan(org, 'run');
  const isPath = lines.every(({ line }) => line === 0);
  return (
    <article aria-label={path} className="border-b border-line py-1">
      <header className="flex min-h-8 flex-wrap items-center gap-x-2">
        <h2 className="mono min-w-0 flex-1 basis-48 font-medium break-all">
          <Place repository={repository} commit={commit} result={{ path, line: 0 }}>
            <Marked text={path} q={isPath ? q : ''} />
          </Place>
        </h2>
        <span className="flex shrink-0 items-center gap-3">
          <CopyButton text={path} />
          {canRun && (
            <Link
              to="/$org/sessions/new"
              params={{ org }}
              search={{ repo: repository.repo, prompt: `@${path} ` }}
              aria-label={`New session about ${path}`}
              className="inline-flex min-h-6 items-center text-ink-2 underline pointer-coarse:min-h-11"
            >
              New session
            </Link>
          )}
        </span>
      </header>
      {!isPath && (
        <ul>
          {lines.map((result, at) => (
            <Line key={at} repository={repository} commit={commit} q={q} result={result} />
          ))}
        </ul>
      )}
    </article>
  );
}

function Line({ repository, commit, q, result }: Omit<FileProps, 'org' | 'file'> & { result: SearchResult }) {
  const { line, text, symbol } = result;
  return (
    <li className="grid grid-cols-[56px_minmax(0,1fr)] items-baseline gap-x-3 py-0.5">
      <span className="mono text-right text-ink-3">
        <Place repository={repository} commit={commit} result={result}>
          {line}
        </Place>
      </span>
      <span className="flex min-w-0 flex-wrap items-baseline gap-x-2">
        {symbol !== null && <Chip>{symbol.kind}</Chip>}
        {symbol !== null && symbol.container !== '' && <span className="mono text-ink-3">in {symbol.container}</span>}
        <code className="min-w-0 break-all">
          <Marked text={text} q={symbol?.name ?? q} />
        </code>
      </span>
    </li>
  );
}

interface PlaceProps {
  repository: Repository;
  commit: string;
  result: Pick<SearchResult, 'path' | 'line'>;
  children: ReactNode;
}

/** Leads to the file at its git host, if that has a page of it. */
function Place({ repository, commit, result, children }: PlaceProps) {
  const address = addressOf(repository, commit, result);
  if (address === undefined) return children;
  return (
    <a
      href={address}
      target="_blank"
      rel="noreferrer noopener"
      className="inline-flex min-h-6 items-center underline pointer-coarse:min-h-11"
    >
      {children}
    </a>
  );
}

function Marked({ text, q }: { text: string; q: string }) {
  if (q === '') return text;
  return partsOf(text, q).map((part, at) =>
    at % 2 === 1 ? (
      <mark key={at} className="bg-wait-soft text-ink">
        {part}
      </mark>
    ) : (
      part
    ),
  );
}
