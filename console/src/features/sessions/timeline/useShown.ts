import { useMemo, useState, useSyncExternalStore } from 'react';
import type { Schemas } from '../../../lib/api.ts';
import { itemsOf } from './items.ts';
import type { LogState } from './log.ts';
import { Openness } from './openness.ts';

/** What is shown of a log's rows, with what the reader opened and closed. */
export function useShown(state: LogState, outline: Schemas['SessionOutline'] | undefined) {
  const [openness] = useState(() => new Openness());
  const version = useSyncExternalStore(openness.subscribe, openness.version);
  const turns = useMemo(
    () => new Map(outline?.turns.map(({ turn, message_id: message }) => [`msg:${message}`, turn])),
    [outline],
  );
  const [live, setLive] = useState<ReadonlySet<string>>(new Set());
  const shown = useMemo(
    () => itemsOf(state.fold.rows, { byHand: openness.byHand, live, turns }),
    // The version stands for what is open.
    [state.fold, openness, version, live, turns],
  );
  return { openness, turns, shown, setLive };
}
