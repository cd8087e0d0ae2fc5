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

/** Grounds on which every color of text can be read. */
const grounds: Record<string, string> = {
  'ansi-black': 'bg-line',
  'ansi-red': 'bg-bad-soft',
  'ansi-green': 'bg-ok-soft',
  'ansi-yellow': 'bg-wait-soft',
  'ansi-blue': 'bg-run-soft',
  'ansi-magenta': 'bg-(--ansi-magenta-soft)',
  'ansi-cyan': 'bg-(--ansi-cyan-soft)',
  'ansi-white': 'bg-line',
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

/** Returns the parts of a line with the colors that it asks for, each shifted to where text can be read. */
export function spansOf(line: string): AnsiSpan[] {
  if (!line.includes('\u001b') || line.length > longest) return [{ text: line, className: '' }];
  return Anser.ansiToJson(line, { use_classes: true, remove_empty: true, json: true }).map(
    ({ content, fg, bg, fg_truecolor: exact, bg_truecolor: exactGround, decorations: marks }) => {
      const ground = colorOf(bg, exactGround, grounds);
      const text = colorOf(fg, exact, names);
      const hasGround = ground !== undefined;
      const className = [
        // On a ground, black and white are what contrasts with it.
        hasGround && neutral.has(nameOf(fg)) ? 'text-ink' : (text?.className ?? ''),
        ground?.className ?? '',
        ...marks.map((mark) => decorations[mark] ?? ''),
      ];
      const style = {
        ...(text?.rgb === undefined ? {} : { color: legible(text.rgb) }),
        ...(ground?.rgb === undefined ? {} : { backgroundColor: soft(ground.rgb) }),
      };
      return {
        text: content,
        className: className.filter((name) => name !== '').join(' '),
        ...(Object.keys(style).length === 0 ? {} : { style }),
      };
    },
  );
}

const neutral = new Set(['ansi-black', 'ansi-white']);

function nameOf(color: string | null): string {
  return (color ?? '').replace('bright-', '');
}

/** Returns the class of a named color, or the red, green and blue of another one; undefined for none. */
function colorOf(color: string | null, exact: string | null, classes: Record<string, string>) {
  const className = classes[nameOf(color)];
  if (className !== undefined) return { className };
  const rgb = rgbOf(color ?? '', exact ?? '');
  return rgb === undefined ? undefined : { rgb };
}

/** The same color, as light or dark as text on the output's ground has to be. */
function legible(rgb: string): string {
  return `oklch(from rgb(${rgb}) clamp(var(--ansi-darkest), l, var(--ansi-lightest)) c h)`;
}

/** The same color as a ground for text. */
function soft(rgb: string): string {
  return `oklch(from rgb(${rgb}) var(--ansi-ground) min(c, 0.05) h)`;
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
