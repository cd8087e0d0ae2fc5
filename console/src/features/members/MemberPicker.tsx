import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSettled } from '../../lib/useSettled.ts';
import { Picker, type PickerProps } from '../../ui/Picker.tsx';
import { useCan } from '../shell/useCan.ts';
import { useMemberName } from './names.ts';
import { membersQuery } from './queries.ts';

/** A choice of a member, or of oneself as `me`: all can be found by their names and addresses. */
export function MemberPicker({
  org,
  value,
  ...rest
}: { org: string } & Omit<PickerProps, 'name' | 'found' | 'isSearching' | 'search'>) {
  const [text, search] = useState('');
  const settled = useSettled(text, 200);
  const filters = settled === '' ? {} : { q: settled };
  const { data, isFetching } = useInfiniteQuery({ ...membersQuery(org, filters), enabled: useCan(org, 'org:read') });
  const person = useMemberName(org, value === '' ? undefined : value);
  const found = (data?.pages[0]?.items ?? []).map(({ user_id: id, name, email }) => ({
    value: id,
    name: name === '' ? email : name,
    note: name === '' ? '' : email,
  }));
  return (
    <Picker
      {...rest}
      value={value}
      name={value === 'me' ? 'Me' : person}
      found={[{ value: 'me', name: 'Me' }, ...found]}
      isSearching={isFetching || settled !== text}
      search={search}
    />
  );
}
