import { useState } from 'react';
import { recall, remember } from '../../lib/storage.ts';
import { Button } from '../../ui/Button.tsx';
import type { DiffLines } from '../../ui/diff/diff.ts';
import { lineWords } from '../../ui/diff/lines.ts';
import type { Place } from './queries.ts';
import { moveToWhole, unsentLines, unsentName } from './unsent.ts';

interface Props {
  place: Place;
  /** The paths of the changed files. */
  paths: ReadonlySet<string>;
  /** Leads to the comment on the whole change. */
  toWhole: () => void;
}

/** Comments that a person began on lines of files that are no longer changed; nothing without one. */
export function LeftComments({ place, paths, toWhole }: Props) {
  const [, setDropped] = useState(0);
  const left = unsentLines(place).filter(({ path }) => !paths.has(path));
  if (left.length === 0) return null;
  const drop = (gone: DiffLines) => {
    remember(unsentName(place, gone), undefined);
    setDropped((count) => count + 1);
  };
  return (
    <section
      aria-label="Comments not sent"
      className="flex flex-col gap-3 border-b border-line bg-wait-soft px-4 py-3 sm:px-6"
    >
      {left.map((one) => (
        <div key={unsentName(place, one)} className="flex max-w-[72ch] flex-col gap-1">
          <p>
            You did not send this comment on <code className="break-all">{one.path}</code>, {lineWords(one)}. The file
            is no longer changed.
          </p>
          <p className="text-read break-words whitespace-pre-wrap">{recall(unsentName(place, one))}</p>
          <p className="flex flex-wrap gap-2">
            <Button
              onClick={() => {
                moveToWhole(place, one);
                toWhole();
              }}
            >
              Comment on the whole change
            </Button>
            <Button look="bare" onClick={() => drop(one)}>
              Discard
            </Button>
          </p>
        </div>
      ))}
    </section>
  );
}
