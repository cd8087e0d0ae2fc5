import Anser from 'anser';
import type { CSSProperties } from 'react';

/** A part of a line that looks the same. */
export interface AnsiSpan {
  text: string;
  className: string;
  style?: CSSProperties;
}

const names: Record<string, string> = {
  'ansi-black': 'text-ink-3',
  'ansi-red': 'text-bad',
  'ansi-green': 'text-ok',
  'ansi-yellow': 'text-wait',
  'ansi-blue': 'text-run',
  'ansi-magenta': 'text-(--ansi-magenta)',
  'ansi-cyan': 'text-(--ansi-cyan)',
  'ansi-white': 'text-ink',
};

const decorations: Record<string, string> = {
  bold: 'font-medium',
  dim: 'opacity-75',
  italic: 'italic',
  underline: 'underline',
  strikethrough: 'line-through',
};

/** Above this length a line is shown without colors. */
const longest = 10_000;

/** Returns the parts of a line with the colors that it asks for. Backgrounds are left out: they would hide the text. */
export function spansOf(line: string): AnsiSpan[] {
  if (!line.includes('\u001b') || line.length > longest) return [{ text: line, className: '' }];
  return Anser.ansiToJson(line, { use_classes: true, remove_empty: true, json: true }).map(
    ({ content, fg, fg_truecolor: exact, decorations: marks }) => {
      const named = names[(fg ?? '').replace('bright-', '')];
      const rgb = named === undefined ? rgbOf(fg ?? '', exact ?? '') : undefined;
      const className = [named ?? '', ...marks.map((mark) => decorations[mark] ?? '')].join(' ').trim();
      return { text: content, className, ...(rgb === undefined ? {} : { style: { color: legible(rgb) } }) };
    },
  );
}

/** The same color, as light or dark as text on the output's ground has to be. */
function legible(rgb: string): string {
  return `oklch(from rgb(${rgb}) clamp(var(--ansi-darkest), l, var(--ansi-lightest)) c h)`;
}

function rgbOf(color: string, exact: string): string | undefined {
  if (/^\d{1,3}, ?\d{1,3}, ?\d{1,3}$/.test(exact)) return exact;
  const [, index] = /^ansi-palette-(\d{1,3})$/.exec(color) ?? [];
  if (index === undefined) return undefined;
  const at = Number(index);
  if (at >= 232) return Array.from({ length: 3 }, () => 8 + 10 * (at - 232)).join(',');
  if (at < 16) return undefined;
  const level = (step: number) => (step === 0 ? 0 : 55 + 40 * step);
  return [Math.floor((at - 16) / 36), Math.floor((at - 16) / 6) % 6, (at - 16) % 6].map(level).join(',');
}
