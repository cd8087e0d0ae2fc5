import type { Context } from './context.ts';

/** Starts the worker of this process; answers how to drain it. */
export async function startRuntime(_ctx: Context): Promise<() => Promise<void>> {
  return async () => undefined;
}
