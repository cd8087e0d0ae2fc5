import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

const levels: ReadonlyMap<unknown, readonly [word: string, style: Style]> = new Map([
  [10, ['TRACE', 'dim']],
  [20, ['DEBUG', 'dim']],
  [30, ['INFO ', 'green']],
  [40, ['WARN ', 'yellow']],
  [50, ['ERROR', 'red']],
  [60, ['FATAL', 'red']],
]);

/** Formats a line of the JSON log for people: time of day, level, message, the other fields; a stack below. */
export function readable(json: string, colour: boolean): string {
  const { level, time, msg, err, ...fields } = parse(json);
  const paint = (style: Style, text: string): string =>
    colour && text !== '' ? styleText(style, text, { validateStream: false }) : text;
  const [word, style] = levels.get(level) ?? ['', 'reset'];
  const { message, stack } = Object(err);
  const rest = Object.entries(fields).map(([name, value]) => `${name}=${plain(value)}`);
  const line = [
    paint('dim', typeof time === 'string' ? time.slice(11, 19) : ''),
    paint(style, word),
    plain(msg ?? message ?? ''),
    paint('dim', rest.join(' ')),
  ];
  const lines = typeof stack === 'string' ? stack.split('\n').map((one) => `\n         ${plain(one)}`) : [];
  const trace = lines.length === 0 ? '' : paint('dim', lines.join(''));
  return `${line.filter((part) => part !== '').join(' ')}${trace}\n`;
}

function parse(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : { msg: json };
  } catch {
    return { msg: json.trimEnd() };
  }
}

/** Escapes control characters, which affect terminals, and characters that change the text direction. */
function plain(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  // oxlint-disable-next-line no-control-regex
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g, ' ');
}
