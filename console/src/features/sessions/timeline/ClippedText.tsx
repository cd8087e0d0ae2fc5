import { count } from '../../../lib/format.ts';
import { omitted, type Clip } from './clip.ts';
import { linesOf, plain } from './output.ts';

/** A text as a machine wrote it; says how much of a long one is left out. */
export function ClippedText({ clip }: { clip: Clip }) {
  const missing = omitted(clip);
  if (clip.length === 0) return null;
  return (
    <pre className="max-h-96 overflow-auto rounded-control bg-sunken p-3 break-words whitespace-pre-wrap">
      {shown(clip.head)}
      {missing > 0 && <span className="text-ink-3">{`\n… ${count(missing)} characters are left out …\n`}</span>}
      {shown(clip.tail)}
    </pre>
  );
}

function shown(text: string): string {
  return plain(linesOf(text).join('\n'));
}
