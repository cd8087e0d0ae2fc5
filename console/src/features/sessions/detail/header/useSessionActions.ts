import type { QueryKey } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { apiOf, unwrap, type Schemas, type Session } from '../../../../lib/api.ts';
import { keys } from '../../../../lib/keys.ts';
import { useAction } from '../../../../lib/useAction.ts';
import { useConfirm } from '../../../../ui/Confirm.tsx';

const path = '/v3/organizations/{orgId}/sessions/{id}';

/** What a person can do with a session as a whole. */
export function useSessionActions(org: string, session: Session) {
  const { id } = session;
  const touches = [keys.one(org, 'sessions', id), keys.lists(org, 'sessions')];
  const states = useStateActions(org, id, touches);
  const ends = useEndings(org, session, touches);
  const approve = useAction({
    call: ({ id: approvalId }: Schemas['Approval']) =>
      unwrap(
        apiOf(org).POST(`${path}/approvals/{approvalId}`, {
          params: { path: { id, approvalId } },
          body: { decision: 'approve' },
        }),
      ),
    touches,
  });
  const all = [approve, states.interrupt, states.suspend, states.resume];
  return { ...states, ...ends, approve, isPending: ends.isEnding || all.some((action) => action.isPending) };
}

/** What changes its state, and can be undone. */
function useStateActions(org: string, id: string, touches: readonly QueryKey[]) {
  const params = { path: { id } };
  const api = apiOf(org);
  return {
    interrupt: useAction({ call: () => unwrap(api.POST(`${path}/interrupt`, { params })), touches }),
    suspend: useAction({ call: () => unwrap(api.POST(`${path}/suspend`, { params })), touches }),
    resume: useAction({ call: () => unwrap(api.POST(`${path}/resume`, { params })), touches }),
    archive: useAction({
      call: () => unwrap(api.POST(`${path}/archive`, { params })),
      touches,
      says: 'The session is archived.',
    }),
    unarchive: useAction({
      call: () => unwrap(api.POST(`${path}/unarchive`, { params })),
      touches,
      says: 'The session is back in the lists.',
    }),
  };
}

/** What cannot be undone: each asks before. */
function useEndings(org: string, { id, title }: Session, touches: readonly QueryKey[]) {
  const params = { path: { id } };
  const navigate = useNavigate();
  const confirm = useConfirm();
  const api = apiOf(org);
  const cancel = useAction({ call: () => unwrap(api.POST(`${path}/cancel`, { params })), touches });
  const remove = useAction({
    call: () => unwrap(api.DELETE(path, { params })),
    touches: [keys.lists(org, 'sessions')],
    says: 'The session is deleted.',
    leaves: true,
    done: () => navigate({ to: '/$org/sessions', params: { org } }),
  });
  const merge = useAction({
    call: ({ repository_id: repository, number }: Schemas['ChangeRequest']) =>
      unwrap(
        api.POST('/v3/organizations/{orgId}/repositories/{id}/change-requests/{number}/merge', {
          params: { path: { id: repository, number } },
          body: {},
        }),
      ),
    touches: [...touches, keys.lists(org, 'change-requests')],
    says: ({ number }) => `Change request #${number} is merged.`,
  });
  const name = `“${title.slice(0, 80)}”`;
  return {
    askToMerge: async (request: Schemas['ChangeRequest']) => {
      const { number, base_ref: base, repo } = request;
      const text = `The work goes into ${base} of ${repo} at once.`;
      if (await confirm({ title: `Merge change request #${number}?`, text, action: 'Merge' })) merge.mutate(request);
    },
    askToCancel: async () => {
      const text = 'It ends at once and cannot be resumed. Branches that it pushed stay.';
      if (await confirm({ title: `Cancel ${name}?`, text, action: 'Cancel the session' })) cancel.mutate();
    },
    askToDelete: async () => {
      const text = 'Its messages, events, checkpoints and files are lost. Branches and change requests stay.';
      if (await confirm({ title: `Delete ${name}?`, text, action: 'Delete' })) remove.mutate();
    },
    isEnding: [cancel, remove, merge].some((action) => action.isPending),
  };
}

export type SessionActions = ReturnType<typeof useSessionActions>;
