import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Chip } from '../../../ui/Chip.tsx';
import { cx } from '../../../ui/cx.ts';
import { Failed } from '../../../ui/Notice.tsx';
import { SkeletonRows } from '../../../ui/Skeleton.tsx';
import type { Repository } from '../queries.ts';
import { inTree } from './pages.ts';
import { versionOf, wikiPageQuery, type Wiki, type WikiPageSummary } from './queries.ts';
import { WikiText } from './WikiText.tsx';

interface Props {
  org: string;
  repository: Repository;
  wiki: Wiki;
  page: string | undefined;
}

/** The pages of a wiki as a tree, and the one that is read beside it. */
export function WikiPages({ org, repository, wiki, page }: Props) {
  const placed = inTree(wiki.pages);
  const slug = page ?? placed.at(0)?.page.slug ?? '';
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] md:grid-cols-[240px_minmax(0,1fr)]">
      <nav
        aria-label="Pages of the wiki"
        className="max-h-64 overflow-y-auto border-b border-line py-2 md:sticky md:top-0 md:max-h-dvh md:border-r md:border-b-0"
      >
        {placed.map(({ page: one, depth }) => (
          <PageLink key={one.slug} org={org} id={repository.id} page={one} depth={depth} isShown={one.slug === slug} />
        ))}
      </nav>
      <Shown key={slug} org={org} repository={repository} slug={slug} version={versionOf(wiki)} />
    </div>
  );
}

const deepest = 4;

interface PageLinkProps {
  org: string;
  id: string;
  page: WikiPageSummary;
  depth: number;
  isShown: boolean;
}

function PageLink({ org, id, page: { slug, title, prose_state: proseState }, depth, isShown }: PageLinkProps) {
  return (
    <Link
      to="/$org/repositories/$id"
      params={{ org, id }}
      search={{ tab: 'wiki', page: slug }}
      title={title}
      {...(isShown ? { 'aria-current': 'page' } : {})}
      style={{ paddingLeft: `${16 + 12 * Math.min(depth, deepest)}px` }}
      className={cx(
        'flex min-h-7 items-center pr-3 hover:bg-sunken pointer-coarse:min-h-11',
        isShown ? 'bg-accent-soft font-medium' : 'text-ink-2',
      )}
    >
      <span className="min-w-0 flex-1 truncate">{title}</span>
      {proseState === 'stale' && <span className="shrink-0 pl-2 text-meta text-ink-3">stale</span>}
    </Link>
  );
}

function Shown({ org, repository, slug, version }: Omit<Props, 'wiki' | 'page'> & { slug: string; version: string }) {
  const query = useQuery(wikiPageQuery(org, repository.id, slug, version));
  if (query.isPending) return <SkeletonRows rows={8} height={32} />;
  if (query.isError) return <Failed error={query.error} retry={() => void query.refetch()} />;
  const { title, body, prose, prose_state: proseState } = query.data;
  return (
    <article aria-label={title} className="flex min-w-0 flex-col gap-3 px-4 py-4 sm:px-6">
      <h2 className="text-title font-medium break-words">{title}</h2>
      {prose !== '' && (
        <>
          {proseState === 'stale' && <Chip tone="wait">The code has changed since this was written</Chip>}
          <WikiText org={org} repository={repository} text={prose} />
          <hr className="border-line" />
        </>
      )}
      <WikiText org={org} repository={repository} text={body} />
    </article>
  );
}
