import type { Context } from '../../../app/context.ts';
import { route, type Route } from '../../../http/route.ts';
import { Id, List, ListQuery } from '../../../http/schema.ts';
import { Approval, DecideApproval } from '../schemas/approval-schemas.ts';
import { decideApproval, listApprovals } from './approval-service.ts';
import * as examples from '../schemas/examples.ts';

export function approvalRoutes(ctx: Pick<Context, 'db' | 'clock' | 'baseUrl' | 'jobs' | 'config'>): Route[] {
  return [
    route({
      method: 'GET',
      path: '/sessions/:id/approvals',
      id: 'listSessionApprovals',
      summary: "List a session's approvals",
      description: 'All of them, decided ones too; `state` tells which is `pending`.',
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
        'Approved, the session carries out the plan, or `edited_plan` in its place. Denied with a note, it plans again; denied without one, and when nobody decides in time, it waits for a message. A message sent meanwhile denies the plan and steers the next one. What is decided stays so: 409 `already_decided`.',
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
