import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { useAction } from '../../lib/useAction.ts';
import type { Automation, AutomationRun } from './words.ts';

const path = '/v3/organizations/{orgId}/automations';

/** Turns an automation on, also one that was paused after failures, or off. */
export function useSwitch(org: string) {
  return useAction({
    call: async ({ automation: { id, enabled, status }, on }: { automation: Automation; on: boolean }) => {
      const params = { path: { id } };
      if (!on) return unwrap(apiOf(org).POST(`${path}/{id}/pause`, { params }));
      if (!enabled) await unwrap(apiOf(org).PATCH(`${path}/{id}`, { params, body: { enabled: true } }));
      if (status === 'paused') await unwrap(apiOf(org).POST(`${path}/{id}/resume`, { params }));
      return undefined;
    },
    touches: [keys.lists(org, 'automations')],
  });
}

/** Starts a run, with a payload for its prompt. */
export function useRunNow(org: string, id: string, done: (run: AutomationRun) => unknown) {
  return useAction({
    call: (payload: Record<string, unknown>) =>
      unwrap(apiOf(org).POST(`${path}/{id}/trigger`, { params: { path: { id } }, body: { payload } })),
    touches: [keys.lists(org, 'automations')],
    done: ({ run }) => done(run),
  });
}

/** Cancels a run, or starts its next attempt. */
export function useRunAction(org: string, runId: string, act: 'cancel' | 'retry') {
  return useAction({
    call: () => unwrap(apiOf(org).POST(`${path}/runs/{runId}/${act}`, { params: { path: { runId } } })),
    touches: [keys.one(org, 'automations', runId), keys.lists(org, 'automations')],
    says: act === 'cancel' ? 'The run is canceled.' : 'Its next attempt begins.',
  });
}
