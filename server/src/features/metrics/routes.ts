import type { Static } from 'typebox';
import type { Context } from '../../app/context.ts';
import { sendJson } from '../../http/etags.ts';
import { route, type Route } from '../../http/route.ts';
import {
  automationFigures,
  automationMetrics,
  changeRequestFigures,
  changeRequestMetrics,
  sessionFigures,
  sessionMetrics,
} from './figures.ts';
import {
  ActiveUserMetrics,
  AutomationMetrics,
  ChangeRequestMetrics,
  MetricsQuery,
  ReviewMetrics,
  SessionMetrics,
  SummaryMetrics,
  UsageMetrics,
} from './schemas.ts';
import { getActiveUsers, getChangeRequestMetrics, getMetrics, getReviewMetrics } from './service.ts';

const lag = 'Days are days in UTC. Up to two minutes behind.';
const common = { method: 'GET', scope: 'analytics:read', query: MetricsQuery, status: 200 } as const;

export function metricRoutes(ctx: Pick<Context, 'db' | 'clock'>): Route[] {
  return [
    route({
      ...common,
      path: '/metrics/summary',
      id: 'getSummaryMetrics',
      summary: 'Get metrics of sessions, change requests and usage',
      description: `The three together. ${lag}`,
      answer: SummaryMetrics,
      // As `/consumption/daily`: the largest of them.
      handle: async ({ caller, query, reply }) => {
        const summary: Static<typeof SummaryMetrics> = await getMetrics(ctx, caller, query, {
          metrics: [...sessionMetrics, ...changeRequestMetrics],
          figures: (known) => ({
            sessions: sessionFigures(known),
            change_requests: changeRequestFigures(known),
            usage: known.use,
          }),
        });
        return sendJson(reply, JSON.stringify(summary));
      },
    }),
    route({
      ...common,
      path: '/metrics/sessions',
      id: 'getSessionMetrics',
      summary: 'Get metrics of sessions',
      description: `Each event counts on the day on which it happened. ${lag}`,
      answer: SessionMetrics,
      handle: ({ caller, query }) =>
        getMetrics(ctx, caller, query, { metrics: sessionMetrics, figures: sessionFigures }),
    }),
    route({
      ...common,
      path: '/metrics/change-requests',
      id: 'getChangeRequestMetrics',
      summary: 'Get metrics of change requests',
      description: `Of those that sessions opened; each event counts on the day on which it happened. Also what became of those that sessions began to follow in this time. ${lag}`,
      answer: ChangeRequestMetrics,
      handle: ({ caller, query }) => getChangeRequestMetrics(ctx, caller, query),
    }),
    route({
      ...common,
      path: '/metrics/reviews',
      id: 'getReviewMetrics',
      summary: 'Get metrics of reviews',
      description: `Of sessions that review a change request, and what became of the findings that reviews posted in this time. ${lag}`,
      answer: ReviewMetrics,
      handle: ({ caller, query }) => getReviewMetrics(ctx, caller, query),
    }),
    route({
      ...common,
      path: '/metrics/usage',
      id: 'getUsageMetrics',
      summary: 'Get metrics of usage',
      description: `Tokens, cost and time in sandboxes. ${lag}`,
      answer: UsageMetrics,
      handle: ({ caller, query }) => getMetrics(ctx, caller, query, { metrics: [], figures: ({ use }) => use }),
    }),
    route({
      ...common,
      path: '/metrics/active-users',
      id: 'getActiveUserMetrics',
      summary: 'Get the number of active users',
      description: `A user who is active on several days of an interval counts once. ${lag}`,
      answer: ActiveUserMetrics,
      handle: ({ caller, query }) => getActiveUsers(ctx, caller, query),
    }),
    route({
      ...common,
      path: '/metrics/automations',
      id: 'getAutomationMetrics',
      summary: 'Get metrics of automations',
      description: `Of their runs, and of the sessions that they created; their cost is at \`/consumption/daily?group_by=automation\`. ${lag}`,
      answer: AutomationMetrics,
      handle: ({ caller, query }) =>
        getMetrics(ctx, caller, query, { metrics: automationMetrics, figures: automationFigures }),
    }),
  ];
}
