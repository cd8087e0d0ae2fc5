import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Context } from '../../../app/context.ts';
import { updateIndex } from './update-service.ts';

const IndexJob = Type.Object({ org_id: Type.String(), repository_id: Type.String() });

/** Updates indexes in this process, one at a time. */
export function startIndexing(ctx: Pick<Context, 'db' | 'clock' | 'jobs' | 'sourceControl' | 'log'>): void {
  ctx.jobs.work('repository_index', { concurrency: 1 }, async ({ data, signal }) => {
    if (Value.Check(IndexJob, data)) await updateIndex(ctx, data.org_id, data.repository_id, signal);
  });
}
