/** The colors of a terminal, in the order of their numbers: black, red, green, yellow, blue, magenta, cyan, white. */
export const textColors: readonly string[] = [
  'text-ink-3',
  'text-bad',
  'text-ok',
  'text-wait',
  'text-run',
  'text-(--ansi-magenta)',
  'text-(--ansi-cyan)',
  'text-ink',
];

/** Grounds of the same colors, on which every color of text can be read. */
export const groundColors: readonly string[] = [
  'bg-line',
  'bg-bad-soft',
  'bg-ok-soft',
  'bg-wait-soft',
  'bg-run-soft',
  'bg-(--ansi-magenta-soft)',
  'bg-(--ansi-cyan-soft)',
  'bg-line',
];

/** The same color, as light or dark as text on the output's ground has to be. */
export function legible(rgb: string): string {
  return `oklch(from rgb(${rgb}) clamp(var(--ansi-darkest), l, var(--ansi-lightest)) c h)`;
}

/** The same color as a ground for text. */
export function soft(rgb: string): string {
  return `oklch(from rgb(${rgb}) var(--ansi-ground) min(c, 0.05) h)`;
}

/** Returns red, green and blue of a color of the palette, from 16 to 255. */
export function rgbOfPalette(at: number): string {
  if (at >= 232) return Array.from({ length: 3 }, () => 8 + 10 * (at - 232)).join(',');
  const level = (step: number) => (step === 0 ? 0 : 55 + 40 * step);
  return [Math.floor((at - 16) / 36), Math.floor((at - 16) / 6) % 6, (at - 16) % 6].map(level).join(',');
}
