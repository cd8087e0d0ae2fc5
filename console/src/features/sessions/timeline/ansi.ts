import Anser from 'anser';
import type { CSSProperties } from 'react';
import { groundColors, legible, rgbOfPalette, soft, textColors } from './colors.ts';

/** A part of a line that looks the same. */
export interface AnsiSpan {
  text: string;
  className: string;
  style?: CSSProperties;
}

const order = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];
const byName = (colors: readonly string[]): Record<string, string> =>
  Object.fromEntries(order.map((name, at) => [`ansi-${name}`, colors[at] ?? '']));
const names = byName(textColors);
const grounds = byName(groundColors);

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

function rgbOf(color: string, exact: string): string | undefined {
  if (/^\d{1,3}, ?\d{1,3}, ?\d{1,3}$/.test(exact)) return exact;
  const [, index] = /^ansi-palette-(\d{1,3})$/.exec(color) ?? [];
  if (index === undefined) return undefined;
  const at = Number(index);
  return at < 16 ? undefined : rgbOfPalette(at);
}
