import { Link } from '@tanstack/react-router';
import { count } from '../../../lib/format.ts';
import { Section } from '../../../ui/Page.tsx';
import { severityWords } from '../../reviews/words.ts';
import { useCan } from '../../shell/useCan.ts';
import { FigureTable, type FigureColumn } from '../FigureTable.tsx';
import { Figures } from '../Figures.tsx';
import { share } from '../numbers.ts';
import type { MetricsFilters, ReviewOutcomes } from './queries.ts';

type Group = ReviewOutcomes['by_severity'][number];

interface Props {
  org: string;
  outcomes: ReviewOutcomes;
  filters: MetricsFilters;
}

/** What became of the findings that reviews posted: in all, and by severity, category and repository. */
export function Outcomes({ org, outcomes, filters }: Props) {
  const { posted, by_severity: severities, by_category: categories, by_repository: repositories } = outcomes;
  const file = (part: string) => `review-outcomes-by-${part}-${filters.from}-${filters.to}`;
  return (
    <Section title="What became of posted findings">
      {posted === 0 ? (
        <p className="text-ink-2">Reviews of these days posted no finding on a change request.</p>
      ) : (
        <>
          <Figures figures={figuresOf(outcomes)} />
          <Mutes org={org} categories={outcomes.suggested_mutes} />
          <Groups name="Severity" file={file('severity')} groups={severities.map(inWords)} />
          <Groups name="Category" file={file('category')} groups={categories} />
          <Groups name="Repository" file={file('repository')} groups={repositories} />
        </>
      )}
    </Section>
  );
}

function figuresOf({ posted, addressed, dismissed, silent_at_merge: silent, ...rates }: ReviewOutcomes) {
  const of = `of ${count(posted)} posted`;
  return [
    { name: 'Addressed by a commit', value: share(rates.addressed_rate), note: `${count(addressed)} ${of}` },
    { name: 'Dismissed by people', value: share(rates.dismissed_rate), note: `${count(dismissed)} ${of}` },
    {
      name: 'Silent at merge',
      value: share(rates.silent_at_merge_rate),
      note: `${count(silent)} ${of}`,
    },
  ];
}

function inWords(group: Group): Group {
  const severity = Object.entries(severityWords).find(([name]) => name === group.name);
  return severity === undefined ? group : { ...group, name: severity[1] };
}

/** Which categories are seldom addressed, and where to mute them. */
function Mutes({ org, categories }: { org: string; categories: readonly string[] }) {
  const canRead = useCan(org, 'org:read');
  if (categories.length === 0) return null;
  return (
    <p className="max-w-[72ch] border-l-2 border-wait bg-wait-soft px-3 py-2 break-words">
      Commits seldom address findings of <code>{categories.join(', ')}</code>. To mute a category, name it in the policy
      of a repository
      {canRead && (
        <>
          {' '}
          or in the{' '}
          <Link to="/$org/settings/$namespace" params={{ org, namespace: 'reviews' }} className="underline">
            settings
          </Link>
        </>
      )}
      .
    </p>
  );
}

function Groups({ name, file, groups }: { name: string; file: string; groups: readonly Group[] }) {
  const counted = (title: string, of: (group: Group) => number): FigureColumn<Group> => ({
    name: title,
    end: true,
    value: of,
    show: (group) => count(of(group)),
  });
  const rate = (title: string, of: (group: Group) => number | null): FigureColumn<Group> => ({
    name: title,
    end: true,
    value: of,
    show: (group) => share(of(group)),
  });
  return (
    <FigureTable
      label={`Outcomes by ${name.toLowerCase()}`}
      file={file}
      columns={[
        { name, value: (group) => group.name },
        counted('Posted', ({ posted }) => posted),
        counted('Addressed', ({ addressed }) => addressed),
        rate('Rate', ({ addressed_rate: part }) => part),
        counted('Dismissed', ({ dismissed }) => dismissed),
        counted('Silent at merge', ({ silent_at_merge: silent }) => silent),
      ]}
      rows={groups}
      keyOf={(group) => group.name}
    />
  );
}
