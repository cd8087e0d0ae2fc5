import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSettled } from '../../lib/useSettled.ts';
import { Picker, type PickerProps } from '../../ui/Picker.tsx';
import { useCan } from '../shell/useCan.ts';
import { agentQuery, agentsFoundQuery } from './queries.ts';

/** A choice of an agent: all can be found by their names. */
export function AgentPicker({
  org,
  value,
  ...rest
}: { org: string } & Omit<PickerProps, 'name' | 'found' | 'isSearching' | 'search'>) {
  const [text, search] = useState('');
  const canRead = useCan(org, 'org:read');
  const settled = useSettled(text, 200);
  const { data: found = [], isFetching } = useQuery({ ...agentsFoundQuery(org, settled), enabled: canRead });
  const { data: chosen } = useQuery({ ...agentQuery(org, value), enabled: canRead && value !== '' });
  const isChosen = chosen !== undefined && chosen.id === value;
  return (
    <Picker
      {...rest}
      value={value}
      name={isChosen ? chosen.name : value}
      found={found.map(({ id, name, description }) => ({ value: id, name, note: description.slice(0, 100) }))}
      isSearching={isFetching || settled !== text}
      search={search}
    />
  );
}
