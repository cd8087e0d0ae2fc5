import { useQuery } from '@tanstack/react-query';
import { Filters, SearchField } from '../../../ui/Filters.tsx';
import { Failed } from '../../../ui/Notice.tsx';
import { SkeletonRows } from '../../../ui/Skeleton.tsx';
import { cx } from '../../../ui/cx.ts';
import type { Repository } from '../queries.ts';
import { IndexState } from './IndexState.tsx';
import { codeQuery, indexQuery, searchKinds, type SearchKind } from './queries.ts';
import { Results } from './Results.tsx';

interface Props {
  org: string;
  repository: Repository;
  q: string;
  kind: SearchKind;
  go: (search: { q: string; kind: SearchKind }) => void;
}

/** Finds text, symbols and paths in a repository, and shows the index that makes symbols known. */
export function SearchTab({ org, repository, q, kind, go }: Props) {
  const { data: index } = useQuery(indexQuery(org, repository.id));
  const hasSymbols = index === undefined || index.commit !== '';
  return (
    <div className="pt-3">
      <Filters>
        <SearchField
          isWhole
          label="Search the code"
          value={q === '' ? undefined : q}
          onChange={(next) => go({ q: next ?? '', kind })}
        />
        <KindChoice kind={kind} choose={(next) => go({ q, kind: next })} />
      </Filters>
      {index !== undefined && <IndexState org={org} repository={repository} index={index} />}
      {kind === 'symbol' && !hasSymbols ? (
        <p className="px-4 py-6 text-ink-2 sm:px-6">Symbols are found in an index, and there is none yet.</p>
      ) : (
        q !== '' && <Found org={org} repository={repository} q={q} kind={kind} commit={index?.commit ?? ''} />
      )}
    </div>
  );
}

function KindChoice({ kind, choose }: { kind: SearchKind; choose: (kind: SearchKind) => void }) {
  return (
    <span
      role="group"
      aria-label="What to search"
      className="col-span-2 flex overflow-hidden rounded-control border border-line-strong"
    >
      {searchKinds.map(([id, label]) => (
        <button
          key={id}
          type="button"
          aria-pressed={kind === id}
          onClick={() => choose(id)}
          className={cx(
            'h-8 flex-1 border-r border-line-strong px-3 last:border-r-0 pointer-coarse:h-11',
            kind === id ? 'bg-accent-soft font-medium' : 'bg-surface text-ink-2 hover:bg-sunken',
          )}
        >
          {label}
        </button>
      ))}
    </span>
  );
}

interface FoundProps extends Omit<Props, 'go'> {
  /** The indexed commit. */
  commit: string;
}

function Found({ org, repository, q, kind, commit }: FoundProps) {
  const query = useQuery(codeQuery(org, repository.id, kind, q, commit));
  if (query.isPending) return <SkeletonRows rows={8} height={28} />;
  if (query.isError) return <Failed error={query.error} retry={() => void query.refetch()} />;
  return <Results org={org} repository={repository} q={q} found={query.data} />;
}
