import { useBlocker } from '@tanstack/react-router';

/** Asks before the page is left with values that are stored nowhere: no draft of a secret is kept. */
export function useUnstored(isUnstored: boolean): void {
  useBlocker({
    shouldBlockFn: () => !confirm('Leave this page? What you pasted is not stored.'),
    enableBeforeUnload: true,
    disabled: !isUnstored,
  });
}
