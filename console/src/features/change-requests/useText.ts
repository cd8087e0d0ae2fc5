import { useState } from 'react';
import { recall, remember } from '../../lib/storage.ts';

/** A text that survives navigation and a reload until it is sent; stored under a name. */
export function useText(name: string) {
  const [text, setText] = useState(() => recall(name) ?? '');
  return {
    text,
    write: (value: string) => {
      setText(value);
      remember(name, value === '' ? undefined : value);
    },
  };
}
