import { useEffect, useEffectEvent, useState } from 'react';
import { useSettled } from '../../lib/useSettled.ts';

/** The prompts that an address keeps; longer ones are tried, but not linked. */
export const longestLinked = 2_000;

interface Tried {
  q?: string;
  repo?: string;
}

/** A prompt that is tried, and its repository, as the address has them. */
export function useTriedPrompt({ q = '', repo = '' }: Tried, setSearch: (search: Tried) => void) {
  const [prompt, setPrompt] = useState(q);
  const settled = useSettled(prompt, 300);
  const searchOf = (on: string): Tried => {
    const linked = settled.length > longestLinked ? '' : settled;
    return { ...(linked === '' ? {} : { q: linked }), ...(on === '' ? {} : { repo: on }) };
  };
  const keep = useEffectEvent(() => setSearch(searchOf(repo)));
  useEffect(() => keep(), [settled]);
  return { prompt, setPrompt, settled, repo, setRepo: (next: string) => setSearch(searchOf(next)) };
}
