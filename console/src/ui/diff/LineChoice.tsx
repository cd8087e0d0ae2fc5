import { useState } from 'react';
import { Button } from '../Button.tsx';

/** A line by its number: the way to its comments for who has no pointer. */
export function LineChoice({ say }: { say: (line: number) => void }) {
  const [line, setLine] = useState('');
  return (
    <form
      className="flex items-center gap-1"
      onSubmit={(event) => {
        event.preventDefault();
        if (Number(line) > 0) say(Number(line));
      }}
    >
      <input
        type="number"
        inputMode="numeric"
        min={1}
        step={1}
        aria-label="Line of the shown file"
        placeholder="Line"
        value={line}
        onChange={({ target }) => setLine(target.value)}
        className="h-8 w-20 rounded-control border border-line-strong bg-surface px-2 font-mono placeholder:text-ink-3 pointer-coarse:h-11"
      />
      <Button type="submit" look="bare" disabled={!(Number(line) > 0)}>
        Comment
      </Button>
    </form>
  );
}
