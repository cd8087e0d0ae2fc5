import type { Terminal } from '@xterm/headless';
import { spansOfRow, type CellSpan } from './cells.ts';
import { inset, rowHeight } from './useGrid.ts';

interface Props {
  terminal: Terminal;
  first: number;
  /** The first row that is not drawn. */
  end: number;
  cellWidth: number;
  /** Where the cursor is; undefined if the program hides it. */
  cursor: { x: number; y: number } | undefined;
  hasFocus: boolean;
}

/** Some rows of a terminal, and its cursor. */
export function Rows({ terminal, first, end, cellWidth, cursor, hasFocus }: Props) {
  const { active } = terminal.buffer;
  const cell = active.getNullCell();
  const numbers = Array.from({ length: Math.max(0, end - first) }, (_, at) => first + at);
  const under = cursor === undefined ? '' : (active.getLine(cursor.y)?.getCell(cursor.x)?.getChars() ?? '');
  return (
    <>
      {numbers.map((number) => {
        const row = active.getLine(number);
        const spans = row === undefined ? [] : spansOfRow(row, cell);
        return (
          <div
            key={number}
            className="absolute h-4 whitespace-pre"
            style={{ left: inset, transform: `translateY(${inset + number * rowHeight}px)` }}
          >
            <Row spans={spans} />
          </div>
        );
      })}
      {cursor !== undefined && (
        <div
          aria-hidden
          className={
            hasFocus
              ? 'absolute h-4 bg-accent whitespace-pre text-on-accent'
              : 'absolute h-4 border border-accent whitespace-pre'
          }
          style={{
            left: inset + cursor.x * cellWidth,
            minWidth: cellWidth,
            transform: `translateY(${inset + cursor.y * rowHeight}px)`,
          }}
        >
          {hasFocus ? under : ''}
        </div>
      )}
    </>
  );
}

function Row({ spans }: { spans: readonly CellSpan[] }) {
  return spans.map(({ text, className, cells, style }, at) =>
    className === '' && style === undefined && cells === undefined ? (
      text
    ) : (
      <span
        key={at}
        className={cells === undefined ? className : `inline-block h-4 overflow-hidden align-top ${className}`}
        style={cells === undefined ? style : { ...style, width: `${cells}ch` }}
      >
        {text}
      </span>
    ),
  );
}
