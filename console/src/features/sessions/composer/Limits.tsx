import { useQuery } from '@tanstack/react-query';
import { count } from '../../../lib/format.ts';
import { levelsOf } from '../../groups/usage.ts';
import { selfQuery } from '../../shell/organizations.ts';
import { Entry, Part } from './PreviewPart.tsx';

/** How much of today's limits is used; nothing where nothing is limited. */
export function Limits({ org }: { org: string }) {
  // Every session uses them, so they are read anew with the page.
  const { data: self } = useQuery({ ...selfQuery(org), refetchOnMount: 'always' });
  if (self === undefined) return null;
  const { groups, max_concurrent: most, running, max_concurrent_own: mostOwn, running_own: own } = self.limits;
  const levels = groups.flatMap((group) =>
    levelsOf(group).flatMap(({ label, used, limit, share, write }) =>
      limit === null
        ? []
        : [{ key: `${group.id} ${label}`, group, label, share, text: `${write(used)} of ${write(limit)}` }],
    ),
  );
  if (levels.length === 0 && most === 0 && mostOwn === 0) return null;
  return (
    <Part title="Limits today">
      {levels.map(({ key, group, label, share, text }) => (
        <Entry
          key={key}
          name={`${label}: ${text}`}
          detail={share < 1 ? group.name : `${group.name}: ${waits(group.limits.on_exceed)}`}
        />
      ))}
      {mostOwn > 0 && (
        <Entry name={`Own sessions at once: ${count(own)} of ${count(mostOwn)}`} detail={queued(own, mostOwn)} />
      )}
      {most > 0 && (
        <Entry name={`Sessions of all at once: ${count(running)} of ${count(most)}`} detail={queued(running, most)} />
      )}
    </Part>
  );
}

function waits(onExceed: 'block' | 'queue'): string {
  return onExceed === 'block'
    ? 'a new session is refused until the day ends.'
    : 'a new session waits until the day ends.';
}

function queued(running: number, most: number): string {
  return running < most ? '' : 'A new session waits until one ends.';
}
