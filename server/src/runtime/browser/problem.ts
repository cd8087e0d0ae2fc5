import type { WorkerContext } from '../context.ts';

/** Returns the reason why this worker's sandboxes have no browser; `''` when they have one. */
export async function browserProblem({
  browser,
  sandbox,
}: Pick<WorkerContext, 'browser' | 'sandbox'>): Promise<string> {
  if (sandbox.mounts === undefined && browser.readOnly.length > 0)
    return `The sandbox driver ${sandbox.name} cannot mount the worker's browser.`;
  return browser.probe();
}

/** Returns the directories of this worker that a browser in a sandbox needs; `[]` if there is none. */
export async function browserFiles(ctx: Pick<WorkerContext, 'browser' | 'sandbox'>): Promise<readonly string[]> {
  return (await browserProblem(ctx)) === '' ? ctx.browser.readOnly : [];
}
