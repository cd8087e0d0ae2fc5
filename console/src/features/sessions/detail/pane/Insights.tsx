import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { duration } from '../../../../lib/format.ts';
import { insightsQuery } from '../queries.ts';
import { tableClass } from './table.ts';

const statuses = [
  ['queued_seconds', 'Queued'],
  ['provisioning_seconds', 'Preparing'],
  ['working_seconds', 'Working'],
  ['waiting_seconds', 'Waiting for you'],
  ['suspended_seconds', 'Suspended'],
] as const;

/** Where the time went, and what is worth knowing about how the session went. */
export function Insights({ org, id }: { org: string; id: string }) {
  const { data } = useQuery(insightsQuery(org, id));
  if (data === undefined) return null;
  const times = statuses.filter(([field]) => data.time[field] > 0);
  return (
    <section aria-label="How it went" className="flex flex-col gap-3">
      {data.observations.length > 0 && (
        <ul className="flex list-disc flex-col gap-1 pl-5">
          {data.observations.map(({ message, seq }, at) => (
            <li key={at} className="max-w-[72ch] break-words">
              {message}{' '}
              {seq !== null && (
                <Link
                  from="/$org/sessions/$id"
                  search
                  hash={`e${seq}`}
                  className="inline-flex min-h-6 items-center text-accent underline pointer-coarse:min-h-11"
                >
                  Show it
                </Link>
              )}
            </li>
          ))}
        </ul>
      )}
      <table className={tableClass}>
        <caption className="pb-1 text-left font-medium">Time</caption>
        <tbody>
          {times.map(([field, name]) => (
            <tr key={field}>
              <th scope="row" className="border-t border-line pl-0! text-left">
                {name}
              </th>
              <td className="mono">{duration(data.time[field] * 1_000)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
