import { insertContext, readRunContext, type StoredContext } from './context-store.ts';
import { LeaseLost, type Run, type RunContext } from './run-service.ts';

/** What the session was given before, for a run that equips it. Throws {@link LeaseLost}. */
export async function contextOfRun(ctx: Pick<RunContext, 'db'>, run: Run): Promise<StoredContext> {
  const stored = await readRunContext(ctx.db, run.id, run.fence);
  if (stored === undefined) throw new LeaseLost(run.id);
  return stored;
}

/**
 * Puts on record what the session was given, by kind: from now on its work goes on with that, whatever becomes of its
 * sandbox, until a turn begins in a fresh one. Throws {@link LeaseLost}.
 */
export async function recordContext(
  ctx: Pick<RunContext, 'db'>,
  run: Run,
  given: Readonly<Record<string, readonly unknown[]>>,
): Promise<void> {
  if (!(await insertContext(ctx.db, run.id, run.fence, given))) throw new LeaseLost(run.id);
}
