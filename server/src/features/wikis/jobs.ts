import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Context } from '../../app/context.ts';
import { generateWiki, type GenerateContext } from './generate-service.ts';

const WikiJob = Type.Object({ org_id: Type.String(), repository_id: Type.String() });

/** Makes wikis in this process, one at a time. */
export function startWikis(ctx: GenerateContext & Pick<Context, 'jobs'>): void {
  ctx.jobs.work('wiki', { concurrency: 1 }, async ({ data, signal }) => {
    if (Value.Check(WikiJob, data)) await generateWiki(ctx, data.org_id, data.repository_id, signal);
  });
}
