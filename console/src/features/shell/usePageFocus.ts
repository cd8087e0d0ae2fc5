import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';

/** Puts the focus on the heading of a page that one came to, so that keyboards and screen readers go on from there. */
export function usePageFocus(): void {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
        const page = document.querySelector<HTMLElement>('#page');
        // A page that was loaded begins at its top, and a field may have taken the focus by itself.
        if (fromLocation === undefined || !pathChanged || page?.contains(document.activeElement) !== false) return;
        const heading = page.querySelector('h1') ?? page;
        heading.tabIndex = -1;
        heading.focus({ preventScroll: true });
      }),
    [router],
  );
}
