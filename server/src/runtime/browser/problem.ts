import type { WorkerContext } from '../context.ts';

/** Why sandboxes of this worker have no browser; `''` when they have one. */
export async function browserProblem({
  browser,
  sandbox,
}: Pick<WorkerContext, 'browser' | 'sandbox'>): Promise<string> {
  if (sandbox.mounts === undefined && browser.readOnly.length > 0)
    return `Sandboxes of the driver ${sandbox.name} see nothing of the worker's machine, and so not the browser that is there.`;
  return browser.probe();
}
