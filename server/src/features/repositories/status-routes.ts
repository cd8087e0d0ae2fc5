import { Type } from 'typebox';
import type { Context } from '../../app/context.ts';
import { route, type Route } from '../../http/route.ts';
import { Id, List, ListQuery } from '../../http/schema.ts';
import * as examples from './examples.ts';
import { CommitStatus, SetCommitStatus, Sha } from './status-schemas.ts';
import { listStatuses, setStatus } from './status-service.ts';

const path = '/repositories/:id/statuses';
const params = { id: Id };

export function statusRoutes(ctx: Pick<Context, 'db' | 'clock' | 'gitHost'>): Route[] {
  return [
    route({
      method: 'GET',
      path,
      id: 'listCommitStatuses',
      summary: "List a commit's statuses",
      description:
        'Newest first, one for each name. Only of repositories of the built-in git host; 409 `conflict` for others, whose ' +
        'host has the statuses.',
      scope: 'repos:read',
      params,
      query: ListQuery({ sha: Type.Unsafe<string>({ ...Sha, description: 'The commit.' }) }),
      errors: [409],
      status: 200,
      answer: List(CommitStatus),
      handle: (exchange) => listStatuses(ctx, exchange.caller, exchange.params.id, exchange.query),
    }),
    route({
      method: 'POST',
      path,
      id: 'setCommitStatus',
      summary: 'Set a commit status',
      description:
        "For CI systems: sets a check's status on a commit of a repository of the built-in git host, and replaces the one " +
        'with the same name. A commit can have at most 1,000; 409 `conflict` beyond, and for repositories of other hosts. 404 `not_found` for a ' +
        'commit that the repository does not have.',
      scope: 'repos:write',
      params,
      body: SetCommitStatus,
      examples: examples.setCommitStatus,
      errors: [409],
      status: 201,
      answer: CommitStatus,
      handle: (exchange) => setStatus(ctx, exchange.caller, exchange.params.id, exchange.body),
    }),
  ];
}
