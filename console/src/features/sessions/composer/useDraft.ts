import { useCallback, useEffect, useRef, useState } from 'react';
import { defaultsOf } from './defaults.ts';
import { openDraft, saveDraft, type Draft, type GivenByAddress } from './draft.ts';

export type Change = (part: Partial<Draft> | ((draft: Draft) => Partial<Draft>)) => void;

/** The draft of a new session. Each change is kept in the browser; `onFirst` is told of the first one. */
export function useDraft(org: string, given: GivenByAddress, onFirst?: () => void) {
  const [draft, setDraft] = useState(() => openDraft(org, given));
  const isTouched = useRef(false);
  const first = useRef(onFirst);
  const change = useCallback<Change>((part) => {
    if (!isTouched.current) first.current?.();
    isTouched.current = true;
    setDraft((before) => ({ ...before, ...(typeof part === 'function' ? part(before) : part) }));
  }, []);
  useEffect(() => {
    // A link that was only opened leaves the draft of another visit alone.
    if (isTouched.current) saveDraft(org, draft);
  }, [org, draft]);
  return { draft, change };
}

/** Returns what changes with the repository: the choices of the last session on it come back. */
export function withRepository(org: string, draft: Draft, at: number, repo: string): Partial<Draft> {
  const { ref = '', ...choices } = (at === 0 ? defaultsOf(org, repo) : undefined) ?? {};
  return { ...choices, repositories: draft.repositories.map((one, index) => (index === at ? { repo, ref } : one)) };
}
