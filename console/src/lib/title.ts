import { useEffect } from 'react';
import { noteRecent } from './recents.ts';

let thing = '';
let waiting = 0;

function write(): void {
  document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${thing === '' ? '' : `${thing} — `}Guildhall`;
}

/**
 * Names the page in the tab; '' while it is not known. `recent` names it among the pages that were open, where a state
 * would soon be wrong; '' for what is no page to come back to.
 */
export function useTitle(title: string, recent = title): void {
  useEffect(() => {
    thing = title;
    write();
    if (recent !== '') noteRecent(location.pathname, recent);
    // The next page may have no name yet, or none at all if it cannot be read.
    return () => {
      thing = '';
      write();
    };
  }, [title, recent]);
}

/** Shows in the tab how many sessions wait for a person. */
export function useWaiting(sessions: number): void {
  useEffect(() => {
    waiting = sessions;
    write();
  }, [sessions]);
}
