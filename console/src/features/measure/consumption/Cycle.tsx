import { useQuery } from '@tanstack/react-query';
import { count, money } from '../../../lib/format.ts';
import { useCan } from '../../shell/useCan.ts';
import { Figures } from '../Figures.tsx';
import { amount } from '../numbers.ts';
import { onCourseFor, periodWord } from '../period.ts';
import { cycleLimitQuery, cycleQuery } from './queries.ts';

/** The current cycle at a glance. */
export function Cycle({ org }: { org: string }) {
  const { data: cycle } = useQuery(cycleQuery(org));
  const canReadSettings = useCan(org, 'org:read');
  const { data: limit } = useQuery({ ...cycleLimitQuery(org), enabled: canReadSettings });
  if (cycle === undefined || cycle === null) return <div className="min-h-20" />;
  const course = onCourseFor(cycle, new Date());
  const ofLimit = limit === undefined || limit === null ? undefined : `of ${money(limit)}`;
  return (
    <div className="px-4 pb-4 sm:px-6">
      <Figures
        figures={[
          {
            name: `This cycle, ${periodWord({ from: cycle.start, to: cycle.end })}`,
            value: money(cycle.cost_usd),
            note: ofLimit,
          },
          {
            name: 'On course for',
            value: course === undefined ? '–' : money(course),
            note: 'if its days go on like this',
          },
          {
            name: 'Calls of models',
            value: count(cycle.calls),
            note: `${amount(cycle.input_tokens + cycle.output_tokens)} tokens`,
          },
          { name: 'In sandboxes', value: amount(cycle.sandbox_minutes), note: 'minutes' },
        ]}
      />
    </div>
  );
}
