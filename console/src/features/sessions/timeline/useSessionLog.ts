import { useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import { SessionLog } from './log.ts';
import { placeOf, type Target } from './place.ts';

/**
 * Follows the log of a session while the component is shown; `retry` begins anew after a failure, as the end of an offline
 * time does.
 */
export function useSessionLog(org: string, id: string, lastSeq: number, target: Target | undefined) {
  // Where it begins is read once: it follows the log from there.
  const [start] = useState(() => ({ lastSeq, seq: target?.from ?? placeOf(id)?.seq }));
  const [attempt, setAttempt] = useState(0);
  const [log, setLog] = useState(() => new SessionLog(org, id));
  useEffect(() => {
    const opened = new SessionLog(org, id);
    setLog(opened);
    void opened.open(start.lastSeq, start.seq);
    return () => opened.close();
  }, [org, id, start, attempt]);
  const retry = useCallback(() => setAttempt((count) => count + 1), []);
  const state = useSyncExternalStore(log.subscribe, log.state);
  const hasFailed = state.error !== undefined;
  useEffect(() => {
    if (!hasFailed) return undefined;
    addEventListener('online', retry);
    return () => removeEventListener('online', retry);
  }, [hasFailed, retry]);
  return { log, state, retry };
}
