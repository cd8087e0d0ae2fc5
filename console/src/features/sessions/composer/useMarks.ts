import { useLayoutEffect, useRef, useState, type RefObject } from 'react';
import { showFirstProblem } from '../../../forms/first-problem.ts';
import { ApiError } from '../../../lib/api.ts';

/** Brings the first refused field of a form into view. Returns true if all that the API refused is marked at a field. */
export function useMarks(form: RefObject<HTMLFormElement | null>, error: Error | null): boolean {
  const [areAllMarked, setAllMarked] = useState(false);
  const last = useRef<Error>(null);
  useLayoutEffect(() => {
    if (last.current === error) return;
    last.current = error;
    const amount = error instanceof ApiError ? error.issues.length : 0;
    const marked = form.current?.querySelectorAll('[aria-invalid=true]').length ?? 0;
    setAllMarked(amount > 0 && marked >= amount);
    if (amount > 0) showFirstProblem(form.current);
  }, [form, error]);
  return areAllMarked;
}
