import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { useAction } from '../../lib/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { useCan } from '../shell/useCan.ts';
import { reviewsPath, type Review } from './queries.ts';

/** Ends a review that goes on, or tries one again that came to nothing. */
export function ReviewActions({ org, review: { id, status } }: { org: string; review: Review }) {
  const canWrite = useCan(org, 'reviews:write');
  const params = { path: { id } };
  const touches = [keys.all(org, 'reviews')];
  const cancel = useAction({
    call: () => unwrap(apiOf(org).POST(`${reviewsPath}/{id}/cancel`, { params, body: {} })),
    touches,
    says: 'The review is canceled.',
  });
  const retry = useAction({
    call: () => unwrap(apiOf(org).POST(`${reviewsPath}/{id}/retry`, { params, body: {} })),
    touches,
    says: 'The review starts again.',
  });
  if (!canWrite) return null;
  if (status === 'queued' || status === 'running')
    return (
      <Button disabled={cancel.isPending} onClick={() => cancel.mutate()}>
        Cancel the review
      </Button>
    );
  if (status === 'failed' || status === 'canceled')
    return (
      <Button disabled={retry.isPending} onClick={() => retry.mutate()}>
        Try again
      </Button>
    );
  return null;
}
