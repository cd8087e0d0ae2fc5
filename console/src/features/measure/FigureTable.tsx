import { Download } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../../ui/Button.tsx';
import { cx } from '../../ui/cx.ts';
import { csvOf, download, type Cell } from './csv.ts';
import { noCases } from './numbers.ts';

export interface FigureColumn<Row> {
  name: string;
  /** The exact value, for the file. */
  value: (row: Row) => Cell;
  /** What the page shows of it; the value itself by default. */
  show?: (row: Row) => ReactNode;
  /** A number: at the right. */
  end?: boolean;
}

interface Props<Row> {
  label: string;
  columns: readonly FigureColumn<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** The row below them. */
  total?: Row;
  /** The name of the file, without its ending. */
  file: string;
}

/** Numbers as a table, and as a file with exactly these. */
export function FigureTable<Row>({ label, columns, rows, keyOf, total, file }: Props<Row>) {
  const save = () => {
    const all = total === undefined ? rows : [...rows, total];
    const lines = [columns.map(({ name }) => name), ...all.map((row) => columns.map(({ value }) => value(row)))];
    download(`${file}.csv`, csvOf(lines));
  };
  const cells = (row: Row) =>
    columns.map(({ name, value, show, end }, at) => (
      <td
        key={name}
        className={cx(
          'h-8 px-2 first:pl-0 last:pr-0',
          end === true ? 'mono text-right whitespace-nowrap' : 'max-w-72 min-w-16 truncate',
          at === 0 && 'font-medium',
          show?.(row) === noCases && 'text-ink-3',
        )}
      >
        {shown(show === undefined ? value(row) : show(row))}
      </td>
    ));
  return (
    <div className="flex flex-col gap-2">
      <div className="flex justify-end">
        <Button onClick={save}>
          <Download size={16} strokeWidth={1.5} aria-hidden />
          Save as CSV
        </Button>
      </div>
      <div className="overflow-x-auto" tabIndex={0} role="region" aria-label={label}>
        <table className="w-full border-collapse">
          <thead>
            <tr className="border-b border-line text-meta text-ink-3">
              {columns.map(({ name, end }) => (
                <th
                  key={name}
                  scope="col"
                  className={cx('h-8 px-2 font-normal first:pl-0 last:pr-0', end === true ? 'text-right' : 'text-left')}
                >
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={keyOf(row)} className="border-b border-line hover:bg-sunken">
                {cells(row)}
              </tr>
            ))}
          </tbody>
          {total !== undefined && (
            <tfoot>
              <tr className="font-medium">{cells(total)}</tr>
            </tfoot>
          )}
        </table>
      </div>
    </div>
  );
}

/** What is missing takes little room, so that more columns fit. */
function shown(content: ReactNode): ReactNode {
  if (content !== noCases) return content;
  return (
    <span title={noCases} className="relative">
      <span aria-hidden>–</span>
      <span className="sr-only">{noCases}</span>
    </span>
  );
}
