import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { complete, mentionAt, type Mention } from './mention.ts';
import { useSuggestions } from './useSuggestions.ts';

interface Options {
  org: string;
  value: string;
  repo: string;
  at: string;
  onChange: (text: string) => void;
}

/** What is being named in the prompt, what fits it, and the keys that choose from it. */
export function useMention({ org, value, repo, at, onChange }: Options) {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.setSelectionRange(field.current.value.length, field.current.value.length), []);
  const [mention, setMention] = useState<Mention>();
  const [chosen, setChosen] = useState(0);
  const found = useSuggestions({ org, mention, repo, at });
  const isOpen = mention !== undefined && found.length > 0;
  const active = found[Math.min(chosen, found.length - 1)];
  const look = ({ value: text, selectionStart }: HTMLTextAreaElement) => {
    setMention(mentionAt(text, selectionStart));
    setChosen(0);
  };
  const choose = (name: string) => {
    if (mention === undefined) return;
    const { text, caret } = complete(value, mention, name);
    onChange(text);
    setMention(undefined);
    requestAnimationFrame(() => {
      field.current?.focus();
      field.current?.setSelectionRange(caret, caret);
    });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, metaKey, ctrlKey, nativeEvent } = event;
    if (nativeEvent.isComposing || metaKey || ctrlKey) return;
    if (isOpen && ['ArrowDown', 'ArrowUp', 'Enter', 'Tab', 'Escape'].includes(key)) {
      event.preventDefault();
      if (key === 'Escape') setMention(undefined);
      else if (key === 'ArrowDown') setChosen((chosen + 1) % found.length);
      else if (key === 'ArrowUp') setChosen((chosen + found.length - 1) % found.length);
      else if (active !== undefined) choose(active.name);
    }
  };
  return { field, mention, found, active, look, choose, close: () => setMention(undefined), onKeyDown };
}
