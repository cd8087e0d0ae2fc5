import { pace } from '../../lib/pace.ts';
import { findSecretsOf, NotInspected } from './inspection/inspector.ts';
import type { SecretPlace } from './inspection/secrets.ts';
import { listed } from './change-check.ts';
import type { Finding, Rules } from './rules.ts';

/** A text is scanned in pieces, which overlap by the length of a long key. */
const pieceLength = 256 * 1024;
const overlap = 8 * 1024;
/** Characters outside of texts: those between the texts of a binary file, or of one that pretends to be binary. */
// oxlint-disable-next-line no-control-regex
const noText = /[\u0000-\u0008\u000e-\u001f\ufffd]+/g;
/** The same, but for single ones, which are in UTF-16 too. */
// oxlint-disable-next-line no-control-regex
const betweenTexts = /[\u0000-\u0008\u000e-\u001f\ufffd]{2,}/g;
/** ASCII in UTF-16, in either byte order, as it is decoded from UTF-8. All forms of secrets are ASCII. */
// oxlint-disable-next-line no-control-regex
const wideText = /(?:[\t\n\r\u0020-\u007e]\u0000){4,}/g;

/** The time that the scan of a change may still take. */
export interface ScanTime {
  leftMs: number;
}

/** Usual content takes a tenth of a second for each megabyte. */
export const usualScanTime = (): ScanTime => ({ leftMs: 60_000 });

/** The secrets in a file's content, and if some of it could not be scanned. */
export interface ScannedContent {
  readonly places: readonly SecretPlace[];
  readonly isPartial: boolean;
}

/** Returns the texts in a decoded content, on the same lines. */
function textsOf(content: string): string {
  return content.replaceAll(wideText, (text) => text.replaceAll('\u0000', '')).replaceAll(noText, ' ');
}

/** Scans the content of a file as it is read, in UTF-8 or UTF-16; of a binary one the texts in it. */
export async function scanContent(
  orgId: string,
  path: string,
  content: AsyncIterable<Buffer>,
  time: ScanTime = usualScanTime(),
): Promise<ScannedContent> {
  const decoder = new TextDecoder();
  const places = new Map<string, SecretPlace>();
  let [text, lines, isPartial] = ['', 0, false];
  const scan = async (): Promise<void> => {
    if (time.leftMs <= 0) {
      isPartial = true;
      return;
    }
    try {
      for (const place of await findSecretsOf(orgId, path, textsOf(text), time)) {
        const line = place.line + lines;
        places.set(`${line} ${place.digest}`, { ...place, line });
      }
    } catch (error) {
      if (!(error instanceof NotInspected)) throw error;
      isPartial = true;
    }
  };
  for await (const chunk of content) {
    await pace();
    text += decoder.decode(chunk, { stream: true }).replaceAll(betweenTexts, ' ');
    while (text.length >= pieceLength + overlap) {
      const rest = text.slice(pieceLength);
      text = text.slice(0, pieceLength + overlap);
      await scan();
      lines += countLines(text.slice(0, pieceLength));
      text = rest;
    }
  }
  if (text !== '') await scan();
  return { places: [...places.values()], isPartial };
}

function countLines(text: string): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

/** Secrets that a change adds. */
export interface AddedSecrets {
  /** `path:line rule`, masked. */
  items: readonly string[];
  /** Files of which some could not be scanned. */
  partial: readonly string[];
}

/** Returns the violation of added secrets; undefined for none. */
export function secretFinding({ secret_scan: mode }: Rules, { items, partial }: AddedSecrets): Finding | undefined {
  if (mode === 'off' || items.length + partial.length === 0) return undefined;
  const found =
    items.length === 0
      ? ''
      : `The change contains what looks like a secret: ${listed(items)}. Remove it, and read it at run time instead. `;
  const unread = partial.length === 0 ? '' : `Not all of it could be scanned for secrets: ${listed(partial)}. `;
  return {
    rule: 'secret_scan',
    stage: 'push',
    action: mode === 'warn' ? 'warned' : 'blocked',
    message: `${found}${unread}`.trim(),
    items: [...items, ...partial],
  };
}
