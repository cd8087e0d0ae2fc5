import { count } from '../../../lib/format.ts';
import { omitted, type Clip } from './clip.ts';

/** A text as a machine wrote it; says how much of a long one is left out. */
export function ClippedText({ clip }: { clip: Clip }) {
  const missing = omitted(clip);
  if (clip.length === 0) return null;
  return (
    <pre className="max-h-96 overflow-auto rounded-control bg-sunken p-3 break-words whitespace-pre-wrap">
      {plain(clip.head)}
      {missing > 0 && <span className="text-ink-3">{`\n… ${count(missing)} characters are left out …\n`}</span>}
      {plain(clip.tail)}
    </pre>
  );
}

/** Control sequences of terminals (ECMA-48): colors, movements, titles. */
// oxlint-disable-next-line no-control-regex
const sequences = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;

/** Returns a text without control sequences; of a line that was written several times, the last version. */
function plain(text: string): string {
  const lines = text.replaceAll(sequences, '').split('\n');
  return lines.map((line) => lastVersion(line.endsWith('\r') ? line.slice(0, -1) : line)).join('\n');
}

function lastVersion(line: string): string {
  return line.slice(line.lastIndexOf('\r') + 1);
}
