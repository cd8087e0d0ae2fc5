import { lazyRouteComponent } from '@tanstack/react-router';

/** The code of a page could not be read, as the server is not reached. */
export class Missing extends Error {}

/**
 * A page whose code is read when it is first needed. If that fails, the router loads the whole console anew, which helps
 * after an update of the server. Without a server it would only take away the page that is there.
 */
export const screen: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(async () => {
    try {
      return await load();
    } catch (error) {
      throw (await isServed()) ? error : new Missing('The code of the page did not arrive.', { cause: error });
    }
  }, name);

async function isServed(): Promise<boolean> {
  try {
    return (await fetch('/console/', { cache: 'no-store' })).ok;
  } catch {
    return false;
  }
}
