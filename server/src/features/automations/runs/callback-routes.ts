import type { Context } from '../../../app/context.ts';
import { route, type Route } from '../../../http/route.ts';
import { Id } from '../../../http/schema.ts';
import { reportRun } from './callback-service.ts';
import * as examples from './examples.ts';
import { ReportRun, RunReport } from './schemas.ts';

/** Unversioned. */
export function callbackRoutes(ctx: Pick<Context, 'db' | 'clock' | 'jobs'>): Route[] {
  return [
    route({
      method: 'POST',
      path: '/automations/runs/:run_id/callback',
      id: 'reportAutomationRun',
      summary: "Report an automation run's result",
      description:
        'Takes the callback token of the attempt, or a key. `running` renews the lease; every other status ends the attempt. Only the newest fencing token and its attempt are accepted: 409 `stale_fencing_token` for an older one, `unknown_fencing_token` for one that was never issued. The same end again returns 200 with `duplicate: true`, another one 409 `run_terminal`. One exception: `succeeded` replaces `timed_out` if the attempt only missed its lease or timeout and no newer token was issued.',
      scope: 'run',
      audience: 'callback',
      params: { run_id: Id },
      body: ReportRun,
      examples: examples.reportAutomationRun,
      status: 200,
      answer: RunReport,
      handle: ({ caller, params, body }) => reportRun(ctx, caller, params.run_id, body),
    }),
  ];
}
