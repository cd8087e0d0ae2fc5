import { useId, useMemo } from 'react';
import type { Flowchart } from './flowchart.ts';
import { layersOf } from './layers.ts';

const box = { width: 168, height: 32, gapX: 16, gapY: 48 };
const longestLabel = 24;

interface Box {
  id: string;
  label: string;
  x: number;
  y: number;
}

/** A flowchart as boxes in rows with arrows between them. Its text form stands below, for who cannot see it. */
export function Diagram({ chart }: { chart: Flowchart }) {
  const { boxes, width, height } = useMemo(() => placed(chart), [chart]);
  const arrow = useId();
  const at = new Map(boxes.map((one) => [one.id, one]));
  const nameOf = (id: string) => at.get(id)?.label ?? id;
  const words = chart.edges.map(({ from, to }) => `${nameOf(from)} leads to ${nameOf(to)}`).join('; ');
  return (
    <div
      tabIndex={0}
      role="group"
      aria-label="Diagram"
      className="my-2 overflow-auto rounded-control border border-line"
    >
      <svg role="img" aria-label={`${words}.`} viewBox={`0 0 ${width} ${height}`} width={width} height={height}>
        <defs>
          <marker id={arrow} viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
            <path d="M0 0L8 4L0 8z" className="fill-ink-3" />
          </marker>
        </defs>
        {chart.edges.map(({ from, to }, index) => (
          <path
            key={index}
            d={wayOf(at.get(from), at.get(to))}
            fill="none"
            markerEnd={`url(#${arrow})`}
            className="stroke-line-strong"
          />
        ))}
        {boxes.map(({ id, label, x, y }) => (
          <g key={id}>
            <title>{label}</title>
            <rect
              {...{ x, y }}
              width={box.width}
              height={box.height}
              rx={6}
              className="fill-surface stroke-line-strong"
            />
            <text
              x={x + box.width / 2}
              y={y + box.height / 2 + 4}
              textAnchor="middle"
              className="fill-ink font-mono text-[11px]"
            >
              {label.length > longestLabel ? `…${label.slice(1 - longestLabel)}` : label}
            </text>
          </g>
        ))}
      </svg>
    </div>
  );
}

function placed(chart: Flowchart): { boxes: Box[]; width: number; height: number } {
  const labels = new Map(chart.nodes.map(({ id, label }) => [id, label]));
  const rows = layersOf(chart);
  const step = box.width + box.gapX;
  const width = Math.max(...rows.map((row) => row.length)) * step + box.gapX;
  const boxes = rows.flatMap((row, level) =>
    row.map((id, place) => ({
      id,
      label: labels.get(id) ?? id,
      x: (width - row.length * step + box.gapX) / 2 + place * step,
      y: box.gapX + level * (box.height + box.gapY),
    })),
  );
  return { boxes, width, height: rows.length * (box.height + box.gapY) - box.gapY + 2 * box.gapX };
}

/** From the lower edge of one box to the upper edge of another; sideways where that one is not below. */
function wayOf(from: Box | undefined, to: Box | undefined): string {
  if (from === undefined || to === undefined) return '';
  const half = box.width / 2;
  if (to.y > from.y) {
    const [x1, y1, x2, y2] = [from.x + half, from.y + box.height, to.x + half, to.y];
    const bend = Math.min(box.gapY, (y2 - y1) / 2);
    return `M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}`;
  }
  const [x1, y1, x2, y2] = [from.x + box.width, from.y + box.height / 2, to.x + box.width, to.y + box.height / 2];
  return `M${x1} ${y1}C${x1 + 24} ${y1} ${x2 + 24} ${y2} ${x2} ${y2}`;
}
