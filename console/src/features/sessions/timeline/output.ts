/** Control sequences of terminals (ECMA-48) except colors: movements, titles, modes. */
// oxlint-disable-next-line no-control-regex
const sequences = /\u001b(?:\[[0-?]*[ -/]*[@-ln-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;
/** Colors and weights. */
// oxlint-disable-next-line no-control-regex
const colors = /\u001b\[[0-?]*[ -/]*m/g;
/** Sequences that move the cursor to where something was written before. */
// oxlint-disable-next-line no-control-regex
const movements = /\u001b\[[0-9;]*[ABCDEFGHJdfsu]/;
const dataUrls = /data:[\w/+.-]{1,100};base64,[A-Za-z0-9+/=]{2000,}/g;

/** Returns the lines of an output, with its colors; of a line that was written several times, the last version. */
export function linesOf(text: string): string[] {
  const shown = text
    .replaceAll(sequences, '')
    .replaceAll(dataUrls, (url) => `[data, ${Math.ceil(url.length / 1_366)} kB]`);
  const lines = shown.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => lastVersion(line.endsWith('\r') ? line.slice(0, -1) : line));
}

/** Returns a text without colors and other control sequences. */
export function plain(text: string): string {
  return text.replaceAll(colors, '');
}

/** Returns true if lines alone do not show what a terminal showed. */
export function needsTerminal(text: string): boolean {
  return movements.test(text);
}

function lastVersion(line: string): string {
  return line.slice(line.lastIndexOf('\r') + 1);
}
