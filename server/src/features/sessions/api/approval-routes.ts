import type { Context } from '../../../app/context.ts';
import { route, type Route } from '../../../http/route.ts';
import { Id, List, ListQuery } from '../../../http/schema.ts';
import { Approval, DecideApproval } from '../schemas/approval-schemas.ts';
import { decideApproval, listApprovals } from './approval-service.ts';
import * as examples from '../schemas/examples.ts';

export function approvalRoutes(ctx: Pick<Context, 'db' | 'clock' | 'baseUrl' | 'config'>): Route[] {
  return [
    route({
      method: 'GET',
      path: '/sessions/:id/approvals',
      id: 'listSessionApprovals',
      summary: "List a session's approvals",
      description: 'Newest first, including decided ones; `state` is `pending` for an open one.',
      scope: 'sessions:read',
      params: { id: Id },
      query: ListQuery({}),
      status: 200,
      answer: List(Approval),
      handle: ({ caller, params, query }) => listApprovals(ctx, caller, params.id, query),
    }),
    route({
      method: 'POST',
      path: '/sessions/:id/approvals/:approvalId',
      id: 'decideSessionApproval',
      summary: 'Decide an approval',
      description:
        'If approved, the session carries out the plan, or `edited_plan` instead. If denied with a note, it plans again. If denied without one, or not decided in time, it waits for a message. A message sent while the approval is pending denies the plan and steers the next one. A decision is final: 409 `already_decided`.',
      scope: 'run',
      params: { id: Id, approvalId: Id },
      body: DecideApproval,
      examples: examples.decideApproval,
      status: 200,
      answer: Approval,
      errors: [402, 409],
      handle: ({ caller, params, body }) =>
        decideApproval(ctx, caller, { sessionId: params.id, id: params.approvalId }, body),
    }),
  ];
}
