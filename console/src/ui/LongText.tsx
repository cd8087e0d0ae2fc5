import { useState } from 'react';
import { Button } from './Button.tsx';

/** Characters of a long text that are drawn at first. */
const longestAtFirst = 4_000;

/** A text as somebody wrote it. Of a long one the beginning shows, and all of it on request. */
export function LongText({ label, text }: { label: string; text: string }) {
  const [isWhole, setWhole] = useState(false);
  const isCut = !isWhole && text.length > longestAtFirst;
  return (
    <>
      <pre
        tabIndex={0}
        aria-label={label}
        className="max-h-96 overflow-y-auto rounded-control bg-sunken p-3 break-words whitespace-pre-wrap"
      >
        {isCut ? `${text.slice(0, longestAtFirst)} …` : text}
      </pre>
      {isCut && (
        <p>
          <Button onClick={() => setWhole(true)}>Show all of it</Button>
        </p>
      )}
    </>
  );
}
