/** Lets followers of a session sleep until something happens to it. */
export interface Bell {
  ring: () => void;
  /** Forgets earlier rings: call it before reading the changes that they announced. */
  silence: () => void;
  /** Waits for a ring since the last `silence`; returns false after `ms` without one. */
  heard: (ms: number) => Promise<boolean>;
}

export function createBell(): Bell {
  let rung = false;
  let wake: (() => void) | undefined;
  return {
    ring: () => {
      rung = true;
      wake?.();
    },
    silence: () => {
      rung = false;
    },
    heard: async (ms) => {
      if (rung) return true;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      wake = undefined;
      return rung;
    },
  };
}
