import { useQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { failureOf } from '../../lib/errors.ts';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { NotHere } from './NotHere.tsx';
import { NotReached } from './NotReached.tsx';
import { lastOf, organizationsQuery } from './organizations.ts';

/** Leads to the organization that was open last. */
export function Home() {
  const { data, error, refetch } = useQuery(organizationsQuery);
  if (data === undefined) {
    // A missing sign-in leads to the sign-in page.
    if (error !== null && !failureOf(error).needsSignIn)
      return <NotReached error={error} retry={() => void refetch()} />;
    return (
      <main>
        <SkeletonRows rows={8} height={40} />
      </main>
    );
  }
  const org = lastOf(data);
  if (org !== undefined) return <Navigate to="/$org/sessions" params={{ org }} replace />;
  return (
    <main>
      <NotHere />
    </main>
  );
}
