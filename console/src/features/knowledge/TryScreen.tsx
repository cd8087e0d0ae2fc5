import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useSearch } from '../../lib/useSearch.ts';
import { buttonClass } from '../../ui/Button.tsx';
import { Failed } from '../../ui/Notice.tsx';
import { backLink, Body, Page, Section } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { Guarded } from '../shell/Needs.tsx';
import { useCan } from '../shell/useCan.ts';
import { Outcome } from './Outcome.tsx';
import { tryQuery } from './queries.ts';
import { TryFields } from './TryFields.tsx';
import { longestLinked, useTriedPrompt } from './useTriedPrompt.ts';

/** Shows what a session with a prompt would be given to know, before anyone starts it. */
export function TryScreen() {
  const { org } = useParams({ from: '/$org/knowledge/try' });
  return (
    <Page
      title="What would a session get?"
      back={
        <Link to="/$org/knowledge" params={{ org }} aria-label="All notes" className={backLink}>
          ‹
        </Link>
      }
    >
      <Guarded org={org} scope="knowledge:read">
        <Try org={org} />
      </Guarded>
    </Page>
  );
}

function Try({ org }: { org: string }) {
  const navigate = useNavigate({ from: '/$org/knowledge/try' });
  const search = useSearch({ from: '/$org/knowledge/try' });
  const tried = useTriedPrompt(search, (next) => void navigate({ search: next, replace: true }));
  const { settled, repo } = tried;
  const canStart = useCan(org, 'run');
  const query = useQuery(tryQuery(org, settled, repo));
  return (
    <Body>
      <TryFields org={org} {...tried} />
      {settled.trim() === '' && (
        <p className="text-ink-2">Write a prompt: the notes that a session with it would get appear here.</p>
      )}
      {query.isError && <Failed error={query.error} retry={() => void query.refetch()} />}
      {query.isLoading && <SkeletonRows rows={4} height={40} />}
      {query.data !== undefined && settled.trim() !== '' && (
        <Section title="Knowledge">
          <Outcome org={org} result={query.data} />
        </Section>
      )}
      {canStart && settled.trim() !== '' && settled.length <= longestLinked && (
        <p>
          <Link
            to="/$org/sessions/new"
            params={{ org }}
            search={{ prompt: settled, ...(repo === '' ? {} : { repo }) }}
            className={buttonClass('primary')}
          >
            Start a session with this
          </Link>
        </p>
      )}
    </Body>
  );
}
