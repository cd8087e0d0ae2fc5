import { useEffect } from 'react';
import { Button } from '../ui/Button.tsx';
import { TextDiff } from '../ui/diff/TextDiff.tsx';
import type { FieldValues } from 'react-hook-form';
import { ApiError } from '../lib/api.ts';
import type { ApiForm } from './useApiForm.ts';

/** Keeps the revision that a form's values began from: the newest one, until something is entered. */
export function useBase(revision: number, isDirty: boolean, setBase: (revision: number) => void): void {
  useEffect(() => {
    if (!isDirty) setBase(revision);
  }, [revision, isDirty, setBase]);
}

/** What someone else saved while a person wrote, against what the person has: nothing is lost, and the person decides. */
export function Meanwhile<Values extends FieldValues, Result>({
  of,
  isBehind,
  name,
  theirs,
  mine,
  rebase,
}: {
  of: ApiForm<Values, Result>;
  /** True if the form's values began from an older state than the current one. */
  isBehind: boolean;
  /** The file name of the texts, for colors. */
  name: string;
  theirs: string;
  mine: string;
  rebase: () => void;
}) {
  const isRefused = of.error instanceof ApiError && of.error.status === 412;
  if (!of.isDirty || !isBehind) return isRefused && of.isDirty ? <p>Reading what is there now …</p> : null;
  return (
    <section aria-label="Changed meanwhile" className="flex flex-col gap-2 border-l-2 border-wait px-3 py-2">
      <p>Someone saved another text while you wrote. This is what yours changes in theirs:</p>
      <TextDiff name={name} before={theirs} after={mine} />
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => of.form.reset()}>Take their text</Button>
        <Button onClick={rebase}>Keep mine, and save over it</Button>
      </div>
    </section>
  );
}
