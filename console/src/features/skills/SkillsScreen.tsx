import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useActions } from '../../lib/actions.ts';
import { useSearch } from '../../lib/useSearch.ts';
import { buttonClass } from '../../ui/Button.tsx';
import type { Column } from '../../ui/column.ts';
import { DataTable, rowLink } from '../../ui/DataTable.tsx';
import { Filters, FilterSelect, SearchField } from '../../ui/Filters.tsx';
import { Empty } from '../../ui/Notice.tsx';
import { OnFilter, OnChip } from '../../ui/OnOff.tsx';
import { Page } from '../../ui/Page.tsx';
import { RepositoryChoice } from '../repositories/RepositoryField.tsx';
import { Guarded } from '../shell/Needs.tsx';
import { useCan } from '../shell/useCan.ts';
import { skillFiltersOf, skillsQuery, sources, type Skill, type SkillFilters } from './queries.ts';
import { givenTo } from './words.ts';

/** The skills that agents can load. */
export function SkillsScreen() {
  const { org } = useParams({ from: '/$org/skills' });
  return (
    <Guarded org={org} scope="plugins:read">
      <Skills org={org} />
    </Guarded>
  );
}

function Skills({ org }: { org: string }) {
  const filters = useSearch({ from: '/$org/skills' });
  const navigate = useNavigate({ from: '/$org/skills' });
  const set = (change: { [Name in keyof SkillFilters]: string | undefined }) =>
    void navigate({ search: (before) => skillFiltersOf({ ...before, ...change }), replace: true });
  const query = useInfiniteQuery(skillsQuery(org, filters));
  const canWrite = useCan(org, 'plugins:write');
  useActions(
    'Skills',
    canWrite
      ? [{ label: 'New skill', key: 'n', act: () => void navigate({ to: '/$org/skills/new', params: { org } }) }]
      : [],
  );
  const add = canWrite && (
    <Link to="/$org/skills/new" params={{ org }} className={buttonClass('primary')}>
      New skill
    </Link>
  );
  const actions = (
    <>
      <Link to="/$org/skills/try" params={{ org }} className={buttonClass()}>
        Which would apply?
      </Link>
      {add}
    </>
  );
  return (
    <Page title="Skills" total={query.data?.pages[0]?.total} actions={actions}>
      <Filters>
        <SearchField label="Search skills" value={filters.q} onChange={(q) => set({ q })} />
        <FilterSelect label="Origin" value={filters.source} options={sources} onChange={(source) => set({ source })} />
        <RepositoryChoice
          org={org}
          label="Repository"
          value={filters.repo ?? ''}
          onChange={(repo) => set({ repo: repo === '' ? undefined : repo })}
        />
        <OnFilter value={filters.on} onChange={(on) => set({ on })} />
      </Filters>
      <DataTable
        label="Skills"
        query={query}
        columns={columnsOf(org)}
        keyOf={(skill) => skill.id}
        clear={Object.keys(filters).length > 0 ? () => void navigate({ search: {} }) : undefined}
        empty={
          <Empty action={add}>
            A skill is a folder with instructions and files. An agent loads it when its description fits the task.
          </Empty>
        }
      />
    </Page>
  );
}

const sourceWords = new Map<string, string>(sources);

function columnsOf(org: string): readonly Column<Skill>[] {
  return [
    {
      name: 'Skill',
      width: 'minmax(0,0.6fr)',
      cell: ({ id, name }) => (
        <Link to="/$org/skills/$id" params={{ org, id }} className={rowLink} title={name}>
          {name}
        </Link>
      ),
    },
    {
      name: 'Description',
      wide: true,
      cell: ({ description }) => <span className="text-ink-2">{description.slice(0, 200)}</span>,
    },
    { name: 'For', wide: true, width: 'minmax(0,0.4fr)', cell: givenTo },
    { name: 'Origin', wide: true, width: '112px', cell: ({ source }) => sourceWords.get(source) },
    {
      name: 'State',
      width: '48px',
      cell: ({ enabled }) => <OnChip isOn={enabled} />,
    },
  ];
}
