import type { Context } from '../../../app/context.ts';
import { route, type Route } from '../../../http/route.ts';
import { Id } from '../../../http/schema.ts';
import { AutomationRun, AutomationRunList, AutomationRunQuery } from './schemas.ts';
import { cancelRun, getRun, listRuns, retryRun } from './service.ts';

const params = { runId: Id };

export function runRoutes(ctx: Pick<Context, 'db' | 'clock' | 'jobs'>): Route[] {
  return [
    route({
      method: 'GET',
      path: '/automations/:id/runs',
      id: 'listAutomationRuns',
      summary: "List an automation's runs",
      description: 'Newest first.',
      scope: 'sessions:read',
      params: { id: Id },
      query: AutomationRunQuery,
      status: 200,
      answer: AutomationRunList,
      handle: ({ caller, params: { id }, query }) => listRuns(ctx, caller, id, query),
    }),
    route({
      method: 'GET',
      path: '/automations/runs/:runId',
      id: 'getAutomationRun',
      summary: 'Get a run of an automation',
      description: 'Its status, attempts and result.',
      scope: 'sessions:read',
      params,
      status: 200,
      answer: AutomationRun,
      handle: ({ caller, params: { runId } }) => getRun(ctx, caller, runId),
    }),
    route({
      method: 'POST',
      path: '/automations/runs/:runId/cancel',
      id: 'cancelAutomationRun',
      summary: 'Cancel a run of an automation',
      description:
        'Cancels its session too; an external executor learns it from the response to its next report. A second cancellation returns the run unchanged. 409 `invalid_transition` if the run ended otherwise.',
      scope: 'run',
      params,
      status: 200,
      answer: AutomationRun,
      handle: ({ caller, params: { runId } }) => cancelRun(ctx, caller, runId),
    }),
    route({
      method: 'POST',
      path: '/automations/runs/:runId/retry',
      id: 'retryAutomationRun',
      summary: 'Retry a run of an automation',
      description:
        'Starts its next attempt now, however many the automation allows. 409 `invalid_transition` unless the run failed, timed out, was canceled or waits for its next attempt.',
      scope: 'run',
      params,
      status: 200,
      answer: AutomationRun,
      handle: ({ caller, params: { runId } }) => retryRun(ctx, caller, runId),
    }),
  ];
}
