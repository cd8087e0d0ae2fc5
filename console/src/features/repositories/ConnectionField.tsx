import { useInfiniteQuery } from '@tanstack/react-query';
import { SelectField } from '../../forms/Form.tsx';
import { connectionsQuery } from '../git-connections/queries.ts';
import type { Repository } from './queries.ts';

/** The connections to the same provider, if there is a choice. */
export function ConnectionField({ org, repository }: { org: string; repository: Repository }) {
  const { provider, connection_id: current } = repository;
  const { data } = useInfiniteQuery(connectionsQuery(org));
  const fitting = (data?.pages ?? []).flatMap(({ items }) => items).filter((one) => one.provider === provider);
  if (provider === 'local' || fitting.every(({ id }) => id === current)) return null;
  const options = fitting.map(({ id, name }) => [id, name] as const);
  return (
    <SelectField
      name="connection_id"
      label="Git connection"
      hint="It must reach the repository."
      options={fitting.some(({ id }) => id === current) ? options : [[current, 'none'], ...options]}
    />
  );
}
