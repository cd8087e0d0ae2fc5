import { useState } from 'react';
import { recall, remember } from '../../lib/storage.ts';
import { useMedia } from '../../lib/useMedia.ts';

const name = 'rail';

/** The navigation at the left, as wide as a person left it. */
export interface RailWidth {
  /** Only its icons show. */
  isNarrow: boolean;
  /** Undefined on a screen where the navigation is behind a button. */
  toggle: (() => void) | undefined;
}

export function useRail(): RailWidth {
  const hasRoom = useMedia('(min-width: 640px)');
  const [isNarrow, setNarrow] = useState(() => recall(name) === 'narrow');
  const toggle = () => {
    setNarrow(!isNarrow);
    remember(name, isNarrow ? undefined : 'narrow');
  };
  return { isNarrow: isNarrow && hasRoom, toggle: hasRoom ? toggle : undefined };
}
