import type { IBufferCell, IBufferLine } from '@xterm/headless';
import type { CSSProperties } from 'react';
import { groundColors, legible, rgbOfPalette, soft, textColors } from '../../timeline/colors.ts';

/** Cells of a row that look the same. */
export interface CellSpan {
  text: string;
  className: string;
  /** Width in cells, for what a font may draw in another width. */
  cells: number | undefined;
  style: CSSProperties | undefined;
}

/** Characters that every font of the terminal has in the width of a cell. */
const isEven = /^[\u0020-\u007e]$/;

/** Returns the spans of a row, without the blank cells at its end. */
export function spansOfRow(row: IBufferLine, cell: IBufferCell): CellSpan[] {
  const spans: CellSpan[] = [];
  let last = '';
  for (let at = 0; at < row.length; at += 1) {
    if (row.getCell(at, cell) === undefined) break;
    const cells = cell.getWidth();
    if (cells === 0) continue;
    const text = cell.getChars() === '' || cell.isInvisible() !== 0 ? ' ' : cell.getChars();
    const look = keyOf(cell);
    const before = spans.at(-1);
    if (isEven.test(text)) {
      if (before !== undefined && before.cells === undefined && look === last) before.text += text;
      else spans.push({ text, cells: undefined, ...lookOf(cell) });
    } else spans.push({ text, cells, ...lookOf(cell) });
    last = look;
  }
  return trimmed(spans);
}

function trimmed(spans: CellSpan[]): CellSpan[] {
  const end = spans.at(-1);
  if (end === undefined || end.className !== '' || end.style !== undefined || end.cells !== undefined) return spans;
  const text = end.text.trimEnd();
  return text === '' ? spans.slice(0, -1) : [...spans.slice(0, -1), { ...end, text }];
}

function keyOf(cell: IBufferCell): string {
  if (cell.isAttributeDefault()) return '';
  return [
    cell.getFgColorMode(),
    cell.getFgColor(),
    cell.getBgColorMode(),
    cell.getBgColor(),
    cell.isBold(),
    cell.isDim(),
    cell.isItalic(),
    cell.isUnderline(),
    cell.isInverse(),
    cell.isStrikethrough(),
  ].join();
}

/** A color of a cell: its number below 16, or its red, green and blue; undefined for none. */
type Color = number | string | undefined;

function lookOf(cell: IBufferCell): Pick<CellSpan, 'className' | 'style'> {
  if (cell.isAttributeDefault()) return { className: '', style: undefined };
  const [front, back] = [
    colorOf(cell.isFgPalette(), cell.isFgRGB(), cell.getFgColor()),
    colorOf(cell.isBgPalette(), cell.isBgRGB(), cell.getBgColor()),
  ];
  const isInverse = cell.isInverse() !== 0;
  // Reversed text has its color as ground, as in the log.
  const text = isInverse ? back : front;
  const ground = isInverse ? (front ?? 7) : back;
  const names = [
    ground !== undefined && (text === undefined || isNeutral(text)) ? 'text-ink' : classOf(text, textColors),
    classOf(ground, groundColors),
    cell.isBold() !== 0 && 'font-medium',
    cell.isDim() !== 0 && 'opacity-75',
    cell.isItalic() !== 0 && 'italic',
    cell.isUnderline() !== 0 && 'underline',
    cell.isStrikethrough() !== 0 && 'line-through',
  ];
  const style = {
    ...(typeof text === 'string' ? { color: legible(text) } : {}),
    ...(typeof ground === 'string' ? { backgroundColor: soft(ground) } : {}),
  };
  return {
    className: names.filter((name) => name !== false && name !== '').join(' '),
    style: Object.keys(style).length === 0 ? undefined : style,
  };
}

function colorOf(isPalette: boolean, isExact: boolean, color: number): Color {
  if (isPalette) return color < 16 ? color : rgbOfPalette(color);
  return isExact ? [color >> 16, (color >> 8) & 255, color & 255].join(',') : undefined;
}

/** On a ground, black and white are what contrasts with it. */
function isNeutral(color: Color): boolean {
  return typeof color === 'number' && [0, 7].includes(color % 8);
}

function classOf(color: Color, classes: readonly string[]): string {
  return typeof color === 'number' ? (classes[color % 8] ?? '') : '';
}
