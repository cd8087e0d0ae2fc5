import { useEffect } from 'react';
import { useBlocker } from '@tanstack/react-router';
import { holdUnsaved } from '../lib/unsaved.ts';
import { useConfirm } from '../ui/Confirm.tsx';

/** Asks before a page with something unsaved is left. Before a tab is closed, the browser asks in its own words. */
export function useLeaveGuard(
  isUnsaved: boolean,
  /** What is lost, as a sentence. */
  text: string,
  /** True if it was saved since the page was drawn. */
  isSaved: () => boolean = () => false,
): void {
  const confirm = useConfirm();
  useEffect(() => (isUnsaved ? holdUnsaved() : undefined), [isUnsaved]);
  useBlocker({
    shouldBlockFn: async () =>
      !isSaved() && !(await confirm({ title: 'Leave without saving?', text, action: 'Leave' })),
    enableBeforeUnload: () => !isSaved(),
    disabled: !isUnsaved,
  });
}
