import { useRouter } from '@tanstack/react-router';
import { useEffect, useEffectEvent } from 'react';

/**
 * Scrolls a part of the page when one of some values changes; once more after the router has put all parts back where
 * they were scrolled, which it does for each address.
 */
export function usePlaced(place: () => void, values: readonly unknown[]): void {
  const router = useRouter();
  const act = useEffectEvent(place);
  useEffect(() => {
    act();
    const end = router.subscribe('onRendered', () => {
      act();
      end();
    });
    return end;
  }, [router, ...values]);
}
