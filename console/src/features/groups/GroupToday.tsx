import { useQuery } from '@tanstack/react-query';
import { Meter } from '../../ui/Meter.tsx';
import { Failed } from '../../ui/Notice.tsx';
import { Section } from '../../ui/Page.tsx';
import { Time } from '../../ui/Time.tsx';
import { endOfDay } from './day.ts';
import { groupUsageQuery } from './queries.ts';
import { levelsOf, type Level } from './usage.ts';

/** What the members of a group have used together today. */
export function GroupToday({ org, id }: { org: string; id: string }) {
  const usage = useQuery(groupUsageQuery(org, id));
  if (usage.isPending) return null;
  if (usage.data === undefined) return <Failed error={usage.error} retry={() => void usage.refetch()} />;
  const { date, timezone } = usage.data;
  return (
    <Section title="Today">
      <ul className="grid gap-4 sm:grid-cols-2">
        {levelsOf(usage.data).map((level) => (
          <LevelItem key={level.amount} level={level} />
        ))}
      </ul>
      <p className="text-meta text-ink-3">
        {date} in {timezone}. The limits begin anew <Time at={endOfDay(date, timezone).toISOString()} />.
      </p>
    </Section>
  );
}

function LevelItem({ level: { label, used, reserved, limit, share, write } }: { level: Level }) {
  const text = limit === null ? write(used) : `${write(used)} of ${write(limit)}`;
  return (
    <li className="flex flex-col gap-1">
      <span className="flex flex-wrap justify-between gap-x-2">
        <span>{label}</span>
        <span className="mono">
          {text}
          {limit === null && <span className="text-ink-3"> · no limit</span>}
        </span>
      </span>
      {limit !== null && <Meter label={label} share={share} text={text} />}
      {reserved > 0 && (
        <span className="text-meta text-ink-3">{write(reserved)} more is reserved for what runs now</span>
      )}
    </li>
  );
}
