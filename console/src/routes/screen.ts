import { lazyRouteComponent } from '@tanstack/react-router';

/** The errors of pages whose code did not arrive. */
const missing = new WeakSet<Error>();

/** True for the error of a page whose code did not arrive. The page says so, or is loaded anew. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && missing.has(error);
}

/**
 * A page whose code is read when it is first needed. If that fails, the router loads the whole console anew, which helps
 * after an update of the server. Without a server it would only take away the page that is there.
 */
export const screen: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(async () => {
    try {
      return await load();
    } catch (cause) {
      const error =
        (await isServed()) && cause instanceof Error
          ? cause
          : new Error('The code of the page did not arrive.', { cause });
      missing.add(error);
      throw error;
    }
  }, name);

async function isServed(): Promise<boolean> {
  try {
    return (await fetch('/console/', { cache: 'no-store' })).ok;
  } catch {
    return false;
  }
}
