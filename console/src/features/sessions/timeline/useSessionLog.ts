import { useEffect, useState, useSyncExternalStore } from 'react';
import { SessionLog } from './log.ts';

/** Follows the log of a session while the component is shown. */
export function useSessionLog(org: string, id: string, lastSeq: number) {
  const [log, setLog] = useState(() => new SessionLog(org, id));
  // Where it begins is read once: it follows the log from there.
  const [startAt] = useState(lastSeq);
  useEffect(() => {
    const opened = new SessionLog(org, id);
    setLog(opened);
    void opened.open(startAt);
    return () => opened.close();
  }, [org, id, startAt]);
  return { log, state: useSyncExternalStore(log.subscribe, log.state) };
}
