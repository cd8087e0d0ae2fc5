import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useEffect, useId, useState } from 'react';
import { useFormContext, useWatch } from 'react-hook-form';
import { TextField } from '../../forms/Form.tsx';
import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { useSettled } from '../../lib/useSettled.ts';
import { fieldClass } from '../../ui/Field.tsx';
import { useCan } from '../shell/useCan.ts';

/** The first repositories whose name contains a text. */
function repositoryNamesQuery(org: string, search: string) {
  return queryOptions({
    queryKey: keys.list(org, 'repositories', { names: search }),
    queryFn: async ({ signal }) => {
      const query = { first: 50, ...(search === '' ? {} : { search }) };
      const path = '/v3/organizations/{orgId}/repositories';
      return (await unwrap(apiOf(org).GET(path, { params: { query }, signal }))).items;
    },
    placeholderData: keepPreviousData,
  });
}

function Names({ org, id, search }: { org: string; id: string; search: string }) {
  const { data: repositories = [] } = useQuery({
    ...repositoryNamesQuery(org, search),
    enabled: useCan(org, 'repos:read'),
  });
  return (
    <datalist id={id}>
      {repositories.map((one) => (
        <option key={one.id} value={one.repo} />
      ))}
    </datalist>
  );
}

/** A field of a form for `owner/name`, with suggestions: an organization may have more than a menu can hold. */
export function RepositoryField({
  org,
  name,
  label = 'Repository',
  hint,
}: {
  org: string;
  name: string;
  label?: string;
  hint?: string;
}) {
  const id = useId();
  const { control } = useFormContext();
  const value: unknown = useWatch({ control, name });
  return (
    <>
      <TextField
        name={name}
        label={label}
        {...(hint === undefined ? {} : { hint })}
        mono
        list={id}
        placeholder="owner/name"
        maxLength={220}
      />
      <Names org={org} id={id} search={typeof value === 'string' ? value.trim() : ''} />
    </>
  );
}

/** A choice of a repository outside of a form, such as of a filter; told when Enter is pressed or the field is left. */
export function RepositoryChoice({
  org,
  label,
  value,
  onChange,
}: {
  org: string;
  label: string;
  value: string;
  onChange: (repo: string) => void;
}) {
  const id = useId();
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const search = useSettled(text.trim(), 200);
  const commit = (next: string) => {
    if (next.trim() !== value) onChange(next.trim());
  };
  return (
    <>
      <input
        aria-label={label}
        placeholder={label}
        list={id}
        autoComplete="off"
        maxLength={220}
        value={text}
        onBlur={() => commit(text)}
        onChange={({ target, nativeEvent }) => {
          setText(target.value);
          // A choice from the suggestions has no key that would confirm it.
          if (!('inputType' in nativeEvent) || nativeEvent.inputType === 'insertReplacementText') commit(target.value);
        }}
        onKeyDown={({ key }) => {
          if (key === 'Enter') commit(text);
        }}
        className={`${fieldClass} placeholder:text-ink-3 sm:w-56`}
      />
      <Names org={org} id={id} search={search} />
    </>
  );
}
