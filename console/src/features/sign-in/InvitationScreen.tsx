import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Failed } from '../../ui/Notice.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { permissionWord } from '../members/words.ts';
import { AcceptForm } from './AcceptForm.tsx';
import { Entrance } from './Entrance.tsx';
import { invitationQuery } from './queries.ts';

/** What the link of an invitation leads to. */
export function InvitationScreen() {
  const { token } = useParams({ from: '/-/invites/$token' });
  const { data: offer, error, isPending, refetch } = useQuery(invitationQuery(token));
  if (isPending)
    return (
      <Entrance title="Invitation">
        <SkeletonRows rows={3} height={48} />
      </Entrance>
    );
  if (offer === null)
    return (
      <Entrance title="This invitation is no longer valid">
        <p>It was used, was revoked or has expired. Ask for a new one.</p>
      </Entrance>
    );
  if (offer === undefined)
    return (
      <Entrance title="Invitation">
        <Failed error={error} retry={() => void refetch()} />
      </Entrance>
    );
  return (
    <Entrance title={`Join ${offer.organization.name}`}>
      <p className="break-words text-ink-2">
        <strong className="text-ink">{offer.email}</strong> is invited. Permission:{' '}
        {permissionWord(offer.permission).toLowerCase()}.
      </p>
      <AcceptForm token={token} offer={offer} />
    </Entrance>
  );
}
