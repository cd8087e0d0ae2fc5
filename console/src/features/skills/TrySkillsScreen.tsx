import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import type { Schemas } from '../../lib/api.ts';
import { useSearch } from '../../lib/useSearch.ts';
import { Chip } from '../../ui/Chip.tsx';
import { Failed } from '../../ui/Notice.tsx';
import { backLink, Body, Page, Section } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { TryFields } from '../knowledge/TryFields.tsx';
import { useTriedPrompt } from '../knowledge/useTriedPrompt.ts';
import { Guarded } from '../shell/Needs.tsx';
import { resolveQuery } from './queries.ts';

/** Shows which skills a session would get, and which of them fit its prompt. */
export function TrySkillsScreen() {
  const { org } = useParams({ from: '/$org/skills/try' });
  return (
    <Page
      title="Which skills would apply?"
      back={
        <Link to="/$org/skills" params={{ org }} aria-label="All skills" className={backLink}>
          ‹
        </Link>
      }
    >
      <Guarded org={org} scope="plugins:read">
        <Try org={org} />
      </Guarded>
    </Page>
  );
}

function Try({ org }: { org: string }) {
  const navigate = useNavigate({ from: '/$org/skills/try' });
  const search = useSearch({ from: '/$org/skills/try' });
  const tried = useTriedPrompt(search, (next) => void navigate({ search: next, replace: true }));
  const { settled, repo } = tried;
  const query = useQuery(resolveQuery(org, settled, repo));
  return (
    <Body>
      <TryFields org={org} {...tried} />
      {query.isError && <Failed error={query.error} retry={() => void query.refetch()} />}
      {query.isLoading && <SkeletonRows rows={4} height={40} />}
      {query.data !== undefined && (
        <>
          <Section title="It would get">
            <Resolved org={org} skills={query.data.items} nothing="No skill." />
          </Section>
          <Section title="Not given">
            <Resolved
              org={org}
              skills={query.data.not_given}
              nothing={query.data.items.length === 0 ? 'There is no skill.' : 'Every skill is given.'}
            />
          </Section>
        </>
      )}
    </Body>
  );
}

type Decision = Schemas['SkillsForPrompt']['items'][number];

function Resolved({ org, skills, nothing }: { org: string; skills: readonly Decision[]; nothing: string }) {
  if (skills.length === 0) return <p className="text-ink-2">{nothing}</p>;
  return (
    <ul>
      {skills.map(({ id, name, reason, relevant }) => (
        <li key={id} className="flex flex-wrap items-baseline gap-x-3 border-b border-line py-1">
          <Link to="/$org/skills/$id" params={{ org, id }} className="font-medium hover:underline">
            {name}
          </Link>
          {relevant && <Chip tone="run">fits the prompt</Chip>}
          <span className="min-w-0 text-ink-2">{reason}</span>
        </li>
      ))}
    </ul>
  );
}
