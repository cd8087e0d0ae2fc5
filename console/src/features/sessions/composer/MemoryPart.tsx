import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../../../lib/api.ts';
import type { Draft } from './draft.ts';
import { Entry, Part } from './PreviewPart.tsx';
import { repositoryMemoryQuery, useRepository } from './queries.ts';

/** What the session would be told of its first repository, whatever the prompt. */
export function MemoryPart({ org, draft }: { org: string; draft: Draft }) {
  const repository = useRepository(org, draft.repositories[0]?.repo ?? '');
  if (repository === undefined) return null;
  if (draft.memory === 'off') return <Part title="Memory" amount={0} note="As chosen below: not given." />;
  return <Memory org={org} repository={repository} isChosen={draft.memory === 'on'} />;
}

interface MemoryProps {
  org: string;
  repository: Schemas['Repository'];
  /** False if the organization decides. */
  isChosen: boolean;
}

function Memory({ org, repository, isChosen }: MemoryProps) {
  const { data, error } = useQuery(repositoryMemoryQuery(org, repository));
  const more = (data?.total ?? 0) - (data?.items.length ?? 0);
  return (
    <Part
      title="Memory"
      amount={data?.total}
      error={error}
      {...(isChosen ? {} : { note: 'Unless the organization’s settings leave memory out.' })}
    >
      {data?.items.map(({ memory_id: id, title, content }) => (
        <Entry key={id} name={title === '' ? (content.split('\n')[0] ?? '') : title} detail="" />
      ))}
      {more > 0 && <Entry name={`and ${more} more`} detail="" />}
    </Part>
  );
}
