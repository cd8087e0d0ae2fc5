import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useSearch } from '../../lib/useSearch.ts';
import { Button } from '../../ui/Button.tsx';
import { Empty, Failed } from '../../ui/Notice.tsx';
import { backLink, Body, Page } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { Guarded, Needs } from '../shell/Needs.tsx';
import { suggestionsQuery, type SuggestionStatus } from './queries.ts';
import { SuggestionCard } from './SuggestionCard.tsx';

/** Notes that sessions suggested. */
export function SuggestionsScreen() {
  const { org } = useParams({ from: '/$org/knowledge/suggestions' });
  const { status = 'pending' } = useSearch({ from: '/$org/knowledge/suggestions' });
  const navigate = useNavigate({ from: '/$org/knowledge/suggestions' });
  const list = (of: SuggestionStatus) => () => <Suggestions org={org} status={of} />;
  return (
    <Page
      title="Suggestions"
      back={
        <Link to="/$org/knowledge" params={{ org }} aria-label="All notes" className={backLink}>
          ‹
        </Link>
      }
    >
      <Guarded org={org} scope="knowledge:read">
        <Tabs<SuggestionStatus>
          label="Suggestions by state"
          value={status}
          onChange={(next) => void navigate({ search: { status: next }, replace: true })}
          tabs={[
            { id: 'pending', label: 'Open', content: list('pending') },
            { id: 'accepted', label: 'Accepted', content: list('accepted') },
            { id: 'dismissed', label: 'Dismissed', content: list('dismissed') },
          ]}
        />
      </Guarded>
    </Page>
  );
}

const nothing: Record<SuggestionStatus, string> = {
  pending: 'No suggestion waits. Sessions suggest what they learned and another session would need.',
  accepted: 'No suggestion was accepted yet.',
  dismissed: 'No suggestion was dismissed yet.',
};

function Suggestions({ org, status }: { org: string; status: SuggestionStatus }) {
  const query = useInfiniteQuery(suggestionsQuery(org, status));
  if (query.isPending) return <SkeletonRows rows={6} height={64} />;
  if (query.data === undefined) return <Failed error={query.error} retry={() => void query.refetch()} />;
  const suggestions = query.data.pages.flatMap(({ items }) => items);
  if (suggestions.length === 0) return <Empty>{nothing[status]}</Empty>;
  return (
    <Body>
      <Needs org={org} scope="memory:write" what="Accepting and dismissing suggestions" />
      <ul className="flex flex-col gap-4">
        {suggestions.map((suggestion) => (
          <SuggestionCard key={suggestion.id} org={org} suggestion={suggestion} />
        ))}
      </ul>
      {query.hasNextPage && (
        <p>
          <Button onClick={() => void query.fetchNextPage()} disabled={query.isFetchingNextPage}>
            Show more
          </Button>
        </p>
      )}
    </Body>
  );
}
