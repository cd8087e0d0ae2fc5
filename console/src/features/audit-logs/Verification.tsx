import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { failureOf } from '../../lib/errors.ts';
import { count } from '../../lib/format.ts';
import { Button } from '../../ui/Button.tsx';
import { verificationQuery } from './queries.ts';
import { breakWords } from './words.ts';

/** Recomputes the chain of hashes when asked, and says how far it is intact. */
export function Verification({ org }: { org: string }) {
  const { data, error, isFetching, refetch } = useQuery(verificationQuery(org));
  const broken = data?.first_break ?? null;
  return (
    <>
      <p role="status" className={data?.valid === false || error !== null ? 'text-bad' : 'text-ink-2'}>
        {error !== null && failureOf(error).message}
        {data?.valid === true &&
          `Chain verified to #${count(data.checked)}${data.pending > 0 ? `, ${count(data.pending)} pending` : ''}`}
        {broken !== null && (
          <>
            Chain broken at{' '}
            {broken.id === '' ? (
              `#${count(broken.seq)}`
            ) : (
              <Link to="/$org/audit-logs/$id" params={{ org, id: broken.id }} className="underline">
                #{count(broken.seq)}
              </Link>
            )}
            : {breakWords[broken.reason]}
          </>
        )}
      </p>
      <Button onClick={() => void refetch()} disabled={isFetching}>
        {isFetching ? 'Verifying …' : 'Verify the chain'}
      </Button>
    </>
  );
}
