import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
let underWay = 0;

function change(by: number): void {
  underWay += by;
  for (const listener of listeners) listener();
}

/** Says that the record of the page is being deleted by this person, until the returned function is called. */
export function leave(): () => void {
  change(1);
  return () => change(-1);
}

/** True while a deletion leads to another page: until that is there, it is no news that the record is gone. */
export function useIsLeaving(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => underWay > 0,
  );
}
