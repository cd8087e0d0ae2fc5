import { apiOf, unwrap, type Schemas } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { useAction, type ActionOptions } from '../../lib/useAction.ts';
import { reviewsPath, type Finding } from './queries.ts';

/** Dismisses a finding, or takes that back. */
export function useDecision(
  org: string,
  { id: findingId, review_id: id }: Finding,
  options: Pick<ActionOptions<unknown, unknown>, 'errors' | 'done'> = {},
) {
  return useAction({
    ...options,
    call: (body: Schemas['UpdateFindingRequest']) =>
      unwrap(
        apiOf(org).PATCH(`${reviewsPath}/{id}/findings/{findingId}`, { params: { path: { id, findingId } }, body }),
      ),
    // Its comment on the change request is resolved alike.
    touches: [keys.all(org, 'reviews'), keys.lists(org, 'change-requests')],
  });
}
