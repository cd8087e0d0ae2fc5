import { useEffect, useRef, useState } from 'react';
import { recall, remember } from '../../lib/storage.ts';

/** A text that survives navigation and a reload until it is sent; stored under a name. */
export function useText(name: string) {
  const [text, setText] = useState(() => recall(name) ?? '');
  const write = (value: string) => {
    setText(value);
    remember(name, value === '' ? undefined : value);
  };
  const latest = useRef(text);
  useEffect(() => {
    latest.current = text;
  });
  return {
    text,
    write,
    /** Forgets a text that was sent, and returns true; false if more was written since, which stays. */
    sent: (value: string): boolean => {
      const isWhole = latest.current === value;
      if (isWhole) write('');
      return isWhole;
    },
  };
}
