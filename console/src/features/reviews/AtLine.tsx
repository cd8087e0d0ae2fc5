import { Link } from '@tanstack/react-router';
import { writtenLines } from '../../ui/diff/lines.ts';
import type { Finding } from './queries.ts';

/** Where a finding stands; a link into the change if that has the lines. */
export function AtLine({ org, finding }: { org: string; finding: Finding }) {
  const { repository_id: repository, number, file, side, line, start_line: start, in_diff: isInDiff } = finding;
  const place = line === null ? file : `${file}:${line}`;
  if (!isInDiff) return <p className="mono truncate text-ink-2">{place}</p>;
  const l = line === null ? {} : { l: writtenLines({ path: file, side, from: start ?? line, to: line }) };
  return (
    <Link
      to="/$org/repositories/$repository/change-requests/$number"
      params={{ org, repository, number: String(number) }}
      search={{ file, ...l }}
      className="mono inline-flex min-h-6 max-w-full items-center truncate text-ink-2 underline pointer-coarse:min-h-11"
    >
      {place}
    </Link>
  );
}
