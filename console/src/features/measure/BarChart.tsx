import { useState, type KeyboardEvent, type PointerEvent } from 'react';
import { axisEnd, colorOf, sums, type Series } from './chart.ts';

interface Props {
  /** What it shows; the table below has the same numbers. */
  label: string;
  /** The name of each bar. */
  bars: readonly string[];
  series: readonly Series[];
  format: (value: number) => string;
  /** False if the bars cannot be added up, such as users who are active on several days. */
  sum?: boolean;
}

const height = 160;

/** Stacked bars. Pointing at one, or the arrow keys, say its numbers. */
export function BarChart({ label, bars, series, format, sum = true }: Props) {
  const [at, setAt] = useState<number>();
  const totals = sums(series, bars.length);
  const end = axisEnd(Math.max(0, ...totals), totals.every(Number.isInteger));
  const point = (event: PointerEvent<SVGSVGElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    setAt(Math.min(bars.length - 1, Math.max(0, Math.floor(((event.clientX - left) / width) * bars.length))));
  };
  const step = (event: KeyboardEvent) => {
    const to = { ArrowLeft: (at ?? bars.length) - 1, ArrowRight: (at ?? -1) + 1, Home: 0, End: bars.length - 1 }[
      event.key
    ];
    if (to === undefined) return;
    event.preventDefault();
    setAt(Math.min(bars.length - 1, Math.max(0, to)));
  };
  return (
    <figure className="flex flex-col gap-2" aria-label={label}>
      <Readout bars={bars} series={series} totals={totals} at={at} format={format} sum={sum} />
      <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2">
        <div aria-hidden className="mono relative w-16 text-right text-meta text-ink-3" style={{ height }}>
          <span className="absolute top-0 right-0 -translate-y-1/2">{format(end)}</span>
          <span className="absolute top-1/2 right-0 -translate-y-1/2">{format(end / 2)}</span>
          <span className="absolute right-0 bottom-0 translate-y-1/2">{format(0)}</span>
        </div>
        <div
          tabIndex={0}
          role="group"
          aria-label={`${label}: ${bars.length} bars, ← and → say their numbers`}
          onKeyDown={step}
          onBlur={() => setAt(undefined)}
        >
          <svg
            aria-hidden
            width="100%"
            height={height}
            viewBox={`0 0 ${bars.length} 1`}
            preserveAspectRatio="none"
            className="block overflow-visible"
            onPointerMove={point}
            onPointerLeave={() => setAt(undefined)}
          >
            <rect x={0} y={0} width={bars.length} height={1} fill="transparent" />
            {[0, 0.5, 1].map((y) => (
              <line
                key={y}
                x1={0}
                x2={bars.length}
                y1={y}
                y2={y}
                stroke="var(--line)"
                strokeWidth={1}
                vectorEffect="non-scaling-stroke"
              />
            ))}
            {at !== undefined && <rect x={at} y={0} width={1} height={1} fill="var(--sunken)" />}
            {bars.map((bar, index) => (
              <Bar key={bar} index={index} series={series} end={end} />
            ))}
          </svg>
        </div>
        <span />
        <div aria-hidden className="mono flex justify-between pt-1 text-meta text-ink-3">
          <span>{bars[0]}</span>
          {bars.length > 1 && <span>{bars.at(-1)}</span>}
        </div>
      </div>
      {series.length > 1 && <Legend series={series} />}
    </figure>
  );
}

function Bar({ index, series, end }: { index: number; series: readonly Series[]; end: number }) {
  let base = 0;
  return series.map((one, place) => {
    const { name, values } = one;
    const size = (values[index] ?? 0) / end;
    base += size;
    return (
      size > 0 && <rect key={name} x={index + 0.1} width={0.8} y={1 - base} height={size} fill={colorOf(one, place)} />
    );
  });
}

interface ReadoutProps extends Omit<Props, 'label'> {
  totals: readonly number[];
  at: number | undefined;
}

/** What is pointed at, in a line that keeps its place. */
function Readout({ bars, series, totals, at, format, sum: hasSum }: ReadoutProps) {
  return (
    <p className="mono min-h-5 truncate text-ink-2" aria-live="polite">
      {at === undefined ? (
        hasSum === true && (
          <span className="text-ink-3">{format(totals.reduce((sum, value) => sum + value, 0))} in all</span>
        )
      ) : (
        <>
          {bars[at]}: {format(totals[at] ?? 0)}
          {series.length > 1 &&
            series
              .filter(({ values }) => (values[at] ?? 0) > 0)
              .map(({ name, values }) => ` · ${name} ${format(values[at] ?? 0)}`)
              .join('')}
        </>
      )}
    </p>
  );
}

function Legend({ series }: { series: readonly Series[] }) {
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1 text-ink-2">
      {series.map((one, at) => (
        <li key={one.name} className="flex max-w-full min-w-0 items-center gap-1.5">
          <svg aria-hidden width={10} height={10} className="shrink-0">
            <rect width={10} height={10} fill={colorOf(one, at)} />
          </svg>
          <span className="truncate">{one.name}</span>
        </li>
      ))}
    </ul>
  );
}
