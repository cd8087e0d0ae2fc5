/** Lets whoever follows a session sleep until something happened to it. */
export interface Bell {
  ring: () => void;
  /** Forgets earlier rings: what they announced is about to be read. */
  silence: () => void;
  /** Waits for a ring, or one since the last silence; false when `ms` passed without. */
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
