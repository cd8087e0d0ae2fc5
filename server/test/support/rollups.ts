import type { Context } from '../../src/app/context.ts';
import { rollUp } from '../../src/features/consumption/rollup-service.ts';

/** Adds everything in the ledgers to the rollups, also if another process is just doing it. */
export async function rollUpAll(ctx: Pick<Context, 'db'>): Promise<void> {
  for (;;) {
    await rollUp(ctx);
    const { rows } = await ctx.db.pool.query<{ some: boolean }>(
      'select exists (select from usage_pending) or exists (select from measurements_pending) as some',
    );
    if (rows[0]?.some !== true) return;
  }
}
