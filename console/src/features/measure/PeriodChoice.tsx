import { useState } from 'react';
import { isDay, lastCycle, lastDays, thisCycle, type Period } from './period.ts';

const quick = [
  ['this', 'This cycle', thisCycle],
  ['last', 'Last cycle', lastCycle],
  ['7', 'Last 7 days', (now: Date) => lastDays(7, now)],
  ['30', 'Last 30 days', (now: Date) => lastDays(30, now)],
  ['90', 'Last 90 days', (now: Date) => lastDays(90, now)],
] as const;

const fieldClass = 'h-8 rounded-control border border-line-strong bg-surface px-2 pointer-coarse:h-11';

/** The days that are looked at: common periods, or any two days. */
export function PeriodChoice({ period, onChange }: { period: Period; onChange: (period: Period) => void }) {
  const now = new Date();
  const known = quick.find(([, , of]) => {
    const { from, to } = of(now);
    return from === period.from && to === period.to;
  });
  return (
    <>
      <select
        aria-label="Period"
        value={known?.[0] ?? ''}
        onChange={({ target }) => {
          const chosen = quick.find(([id]) => id === target.value);
          if (chosen !== undefined) onChange(chosen[2](now));
        }}
        className={fieldClass}
      >
        {known === undefined && <option value="">These days</option>}
        {quick.map(([id, word]) => (
          <option key={id} value={id}>
            {word}
          </option>
        ))}
      </select>
      <Day label="From" value={period.from} onChange={(from) => onChange({ ...period, from })} />
      <Day label="To" value={period.to} onChange={(to) => onChange({ ...period, to })} />
    </>
  );
}

function Day({ label, value, onChange }: { label: string; value: string; onChange: (day: string) => void }) {
  const [text, setText] = useState(value);
  const [shown, setShown] = useState(value);
  if (shown !== value) {
    setShown(value);
    setText(value);
  }
  return (
    <input
      type="date"
      aria-label={label}
      value={text}
      onChange={({ target }) => {
        setText(target.value);
        if (isDay(target.value)) onChange(target.value);
      }}
      className={`${fieldClass} font-mono`}
    />
  );
}
