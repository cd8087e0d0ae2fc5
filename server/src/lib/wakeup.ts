/** Lets one waiter sleep until it is notified. */
export interface Wakeup {
  notify: () => void;
  /** Forgets earlier notifications: call it before reading the changes that they announced. */
  reset: () => void;
  /** Waits for a notification since the last `reset`; returns false after `ms` without one, if they are given. */
  wait: (ms?: number) => Promise<boolean>;
}

export function createWakeup(): Wakeup {
  let notified = false;
  let wake: (() => void) | undefined;
  return {
    notify: () => {
      notified = true;
      wake?.();
    },
    reset: () => {
      notified = false;
    },
    wait: async (ms) => {
      if (notified) return true;
      await new Promise<void>((resolve) => {
        const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      wake = undefined;
      return notified;
    },
  };
}
