import { useEffect } from 'react';
import { noteRecent } from './recents.ts';

let thing = '';
let waiting = 0;

function write(): void {
  document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${thing === '' ? '' : `${thing} — `}Guildhall`;
}

/** Names the page in the tab; '' while it is not known. */
export function useTitle(title: string): void {
  useEffect(() => {
    thing = title;
    write();
    if (title !== '') noteRecent(location.pathname, title);
  }, [title]);
}

/** Shows in the tab how many sessions wait for a person. */
export function useWaiting(sessions: number): void {
  useEffect(() => {
    waiting = sessions;
    write();
  }, [sessions]);
}
