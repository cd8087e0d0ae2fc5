import { useQuery } from '@tanstack/react-query';
import { useId, useState, type FormEvent } from 'react';
import { Button } from '../../../ui/Button.tsx';
import { Field, fieldClass } from '../../../ui/Field.tsx';
import { MemberPicker } from '../../members/MemberPicker.tsx';
import { useCan } from '../../shell/useCan.ts';
import { repositoriesQuery } from '../composer/queries.ts';
import { isPeriod, onlyGiven, origins, periods, type Filters } from './filters.ts';

interface Props {
  org: string;
  filters: Filters;
  onChange: (filters: Filters) => void;
}

/** Filters that are needed less often: repository, tag, origin, starter, age, order. */
export function MoreFilters({ org, filters, onChange }: Props) {
  const { q, status, attention } = filters;
  const [entered, setEntered] = useState(filters);
  const set = (name: 'repo' | 'tag' | 'origin' | 'by', value: string) => setEntered({ ...entered, [name]: value });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { repo = '', tag = '', origin = '', by = '', since, archived, sort } = entered;
    const texts = { repo: repo.trim(), tag: tag.trim(), origin, by };
    onChange(onlyGiven({ q, status, attention, ...texts, since, archived, sort }));
  };
  return (
    <form className="flex flex-col gap-3" onSubmit={submit}>
      <RepositoryFilter org={org} value={entered.repo ?? ''} onChange={(repo) => set('repo', repo)} />
      <Field label="Tag">
        {(attributes) => (
          <input
            {...attributes}
            autoComplete="off"
            maxLength={100}
            value={entered.tag ?? ''}
            onChange={({ target }) => set('tag', target.value)}
            className={fieldClass}
          />
        )}
      </Field>
      <Choice
        label="Started from"
        value={entered.origin}
        options={origins}
        onChange={(value) => set('origin', value)}
      />
      <Field label="Started by">
        {(named) => (
          <MemberPicker
            org={org}
            named={named}
            value={entered.by ?? ''}
            none="Any"
            onChange={(value) => set('by', value)}
          />
        )}
      </Field>
      <Choice
        label="Begun in the last"
        value={entered.since}
        options={Object.entries(periods).map(([id, [word]]) => [id, word] as const)}
        onChange={(value) => {
          const { since: _since, ...others } = entered;
          setEntered(isPeriod(value) ? { ...others, since: value } : others);
        }}
      />
      <Check
        label="The last changed first"
        checked={entered.sort !== undefined}
        onChange={(on) => {
          const { sort: _sort, ...others } = entered;
          setEntered(on ? { ...others, sort: 'updated_at' } : others);
        }}
      />
      <Check
        label="Archived ones"
        checked={entered.archived !== undefined}
        onChange={(on) => {
          const { archived: _archived, ...others } = entered;
          setEntered(on ? { ...others, archived: 'true' } : others);
        }}
      />
      <p className="flex gap-2">
        <Button type="submit" look="primary">
          Apply
        </Button>
        <Button onClick={() => onChange({})}>Clear all</Button>
      </p>
    </form>
  );
}

function Choice({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: string | undefined;
  options: readonly (readonly [string, string])[];
  onChange: (value: string) => void;
}) {
  return (
    <Field label={label}>
      {(attributes) => (
        <select
          {...attributes}
          value={value ?? ''}
          onChange={({ target }) => onChange(target.value)}
          className={fieldClass}
        >
          <option value="">Any</option>
          {options.map(([id, word]) => (
            <option key={id} value={id}>
              {word}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

function Check({ label, checked, onChange }: { label: string; checked: boolean; onChange: (on: boolean) => void }) {
  return (
    <label className="flex min-h-6 items-center gap-2 pointer-coarse:min-h-11">
      <input
        type="checkbox"
        checked={checked}
        onChange={({ target }) => onChange(target.checked)}
        className="size-4 accent-accent"
      />
      {label}
    </label>
  );
}

function RepositoryFilter({ org, value, onChange }: { org: string; value: string; onChange: (repo: string) => void }) {
  const canRead = useCan(org, 'repos:read');
  const { data: repositories = [] } = useQuery({ ...repositoriesQuery(org, value), enabled: canRead });
  const names = useId();
  return (
    <Field label="Repository">
      {(attributes) => (
        <>
          <input
            {...attributes}
            list={names}
            autoComplete="off"
            placeholder="owner/name"
            maxLength={200}
            value={value}
            onChange={({ target }) => onChange(target.value)}
            className={fieldClass}
          />
          <datalist id={names}>
            {repositories.map(({ id, repo }) => (
              <option key={id} value={repo} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}
