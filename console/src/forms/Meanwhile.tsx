import { useEffect, useRef } from 'react';
import { useFormContext, useWatch } from 'react-hook-form';
import { Button } from '../ui/Button.tsx';
import { TextDiff } from '../ui/diff/TextDiff.tsx';
import type { Conflict } from './useBase.ts';

/** What someone else saved while a person wrote, against what the person has: nothing is lost, and the person decides. */
export function Meanwhile({ conflict }: { conflict: Conflict }) {
  const { isRefused, texts, keepMine, takeTheirs } = conflict;
  const { control } = useFormContext();
  useWatch({ control });
  const top = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isRefused) top.current?.scrollIntoView({ block: 'nearest' });
  }, [isRefused]);
  const shown = texts?.();
  return (
    <section
      ref={top}
      role="alert"
      aria-label="Changed meanwhile"
      className="flex flex-col gap-2 border-l-2 border-wait bg-wait-soft px-3 py-2"
    >
      <p>
        {shown === undefined
          ? 'Someone else changed this while you wrote.'
          : 'Someone else saved this while you wrote. What yours changes in theirs:'}
      </p>
      {shown !== undefined && <TextDiff name={shown.name} before={shown.theirs} after={shown.mine} />}
      <div className="flex flex-wrap gap-2">
        <Button onClick={keepMine}>Keep my changes on top of theirs</Button>
        <Button onClick={takeTheirs}>Take theirs, discard mine</Button>
      </div>
    </section>
  );
}
