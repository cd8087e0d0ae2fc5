import { Type, type Static } from 'typebox';
import type { Context } from '../../app/context.ts';
import { sendJson } from '../../http/etags.ts';
import { route, type Route } from '../../http/route.ts';
import { Id, List, ListQuery } from '../../http/schema.ts';
import { listPrices } from '../settings/price-service.ts';
import { exportCycle, listCycles } from './cycle-service.ts';
import {
  BillingCycle,
  Consumption,
  DailyConsumption,
  DailyQuery,
  ExportQuery,
  ModelPrice,
  PriceQuery,
  RangeQuery,
} from './schemas.ts';
import { getConsumptionOf, getConsumptionOfSession, getDailyConsumption } from './service.ts';

type ConsumptionContext = Pick<Context, 'db' | 'clock' | 'notifications' | 'closing' | 'log'>;

const lag = 'Up to two minutes behind.';

export function consumptionRoutes(ctx: ConsumptionContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/consumption/daily',
      id: 'getDailyConsumption',
      summary: 'Get the consumption by day',
      description: `Of the whole organization, and of the groups that cost most. Days are days in UTC. ${lag}`,
      scope: 'analytics:read',
      query: DailyQuery,
      status: 200,
      answer: DailyConsumption,
      // Twelve thousand days: the serializer that drops undeclared fields takes three times as long as this one.
      handle: async ({ caller, query, reply }) => {
        const answer: Static<typeof DailyConsumption> = await getDailyConsumption(ctx, caller, query);
        return sendJson(reply, JSON.stringify(answer));
      },
    }),
    route({
      method: 'GET',
      path: '/consumption/daily/users/:id',
      id: 'getUserConsumption',
      summary: "Get a user's consumption by day",
      description: `Includes child sessions of the user's sessions. ${lag}`,
      scope: 'analytics:read',
      params: { id: Id },
      query: RangeQuery,
      status: 200,
      answer: Consumption,
      handle: ({ caller, params, query }) => getConsumptionOf(ctx, caller, 'user', params.id, query),
    }),
    route({
      method: 'GET',
      path: '/consumption/daily/service-users/:id',
      id: 'getServiceUserConsumption',
      summary: "Get a service user's consumption by day",
      description: `Includes child sessions of the service user's sessions. ${lag}`,
      scope: 'analytics:read',
      params: { id: Id },
      query: RangeQuery,
      status: 200,
      answer: Consumption,
      handle: ({ caller, params, query }) => getConsumptionOf(ctx, caller, 'service_user', params.id, query),
    }),
    route({
      method: 'GET',
      path: '/consumption/daily/sessions/:id',
      id: 'getSessionConsumption',
      summary: "Get a session's consumption by day",
      description: 'Also of a deleted session. Without its child sessions. Never behind.',
      scope: 'analytics:read',
      params: { id: Id },
      query: RangeQuery,
      status: 200,
      answer: Consumption,
      handle: ({ caller, params, query }) => getConsumptionOfSession(ctx, caller, params.id, query),
    }),
    route({
      method: 'GET',
      path: '/consumption/daily/groups/:id',
      id: 'getGroupConsumption',
      summary: "Get a group's consumption by day",
      description:
        'Calls of the sessions of users who were members at the time. Days are days in UTC; the quota of a group, at ' +
        `\`/groups/{id}/usage\`, has days in its time zone. ${lag}`,
      scope: 'analytics:read',
      params: { id: Id },
      query: RangeQuery,
      status: 200,
      answer: Consumption,
      handle: ({ caller, params, query }) => getConsumptionOf(ctx, caller, 'group', params.id, query),
    }),
    ...cycleRoutes(ctx),
    route({
      method: 'GET',
      path: '/consumption/prices',
      id: 'listModelPrices',
      summary: 'List current and former prices of models',
      description:
        'The prices in the settings `models`, newest first, with the times at which they applied. A change of a price ' +
        'never changes the cost of earlier calls.',
      scope: 'analytics:read',
      query: PriceQuery,
      status: 200,
      answer: List(ModelPrice),
      handle: ({ caller, query }) => listPrices(ctx, caller, query),
    }),
  ];
}

function cycleRoutes(ctx: ConsumptionContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/consumption/cycles',
      id: 'listBillingCycles',
      summary: 'List billing cycles',
      description: `A cycle is a month in UTC. Newest first, from the current one. ${lag}`,
      scope: 'analytics:read',
      query: ListQuery({}),
      status: 200,
      answer: List(BillingCycle),
      handle: ({ caller, query }) => listCycles(ctx, caller, query),
    }),
    route({
      method: 'GET',
      path: '/consumption/cycles/:id/export',
      id: 'exportBillingCycle',
      summary: 'Export a billing cycle',
      description:
        'CSV with a line for each day with use, or for each day and group. A text that a spreadsheet would run as a ' +
        "formula has an apostrophe (') in front.",
      scope: 'analytics:read',
      params: { id: Id },
      query: ExportQuery,
      status: 200,
      answer: Type.String(),
      answerType: 'text/csv',
      sends: ['content-disposition'],
      handle: async ({ caller, params, query, reply }) =>
        reply
          .type('text/csv; charset=utf-8')
          .header('content-disposition', `attachment; filename="consumption.csv"`)
          .send(await exportCycle(ctx, caller, params.id, query.group_by)),
    }),
  ];
}
