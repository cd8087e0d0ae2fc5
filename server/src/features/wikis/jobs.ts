import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { generateWiki } from './generate-service.ts';
import { lookAtProse } from './prose/look-service.ts';
import type { ProseContext } from './prose/start-service.ts';

const WikiJob = Type.Object({ org_id: Type.String(), repository_id: Type.String() });

/** Makes wikis in this process, one at a time, and takes care of their prose. */
export function startWikis(ctx: ProseContext): void {
  ctx.jobs.work('wiki', { concurrency: 1 }, async ({ data, signal }) => {
    if (Value.Check(WikiJob, data)) await generateWiki(ctx, data.org_id, data.repository_id, signal);
  });
  ctx.jobs.work('wiki_prose', { concurrency: 2 }, async ({ data }) => {
    if (Value.Check(WikiJob, data)) await lookAtProse(ctx, data.org_id, data.repository_id);
  });
}
