/** A pressed key, as a browser tells of it. */
export interface Key {
  key: string;
  ctrlKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
  metaKey: boolean;
}

const arrows: Record<string, string> = {
  ArrowUp: 'A',
  ArrowDown: 'B',
  ArrowRight: 'C',
  ArrowLeft: 'D',
  End: 'F',
  Home: 'H',
};
const functionKeys: Record<string, string> = { F1: 'P', F2: 'Q', F3: 'R', F4: 'S' };
const numbered: Record<string, number> = {
  Insert: 2,
  Delete: 3,
  PageUp: 5,
  PageDown: 6,
  F5: 15,
  F6: 17,
  F7: 18,
  F8: 19,
  F9: 20,
  F10: 21,
  F11: 23,
  F12: 24,
};
const plain: Record<string, string> = { Enter: '\r', Backspace: '\u007f', Escape: '\u001b', Tab: '\t' };

/**
 * Returns what a key types, as xterm has it; undefined for a key whose text the field gets, and for one that is the
 * browser's. `inApplication`: the program asked for the other form of the arrows.
 */
export function bytesOf({ key, ctrlKey, altKey, shiftKey, metaKey }: Key, inApplication: boolean): string | undefined {
  if (metaKey) return undefined;
  const modifier = 1 + (shiftKey ? 1 : 0) + (altKey ? 2 : 0) + (ctrlKey ? 4 : 0);
  const arrow = arrows[key] ?? functionKeys[key];
  if (arrow !== undefined) {
    if (modifier > 1) return `\u001b[1;${modifier}${arrow}`;
    return inApplication || key in functionKeys ? `\u001bO${arrow}` : `\u001b[${arrow}`;
  }
  const number = numbered[key];
  if (number !== undefined) return `\u001b[${number}${modifier > 1 ? `;${modifier}` : ''}~`;
  if (key === 'Tab' && shiftKey) return '\u001b[Z';
  const before = altKey ? '\u001b' : '';
  const own = plain[key];
  if (own !== undefined) return `${before}${key === 'Backspace' && ctrlKey ? '\b' : own}`;
  // Both together are AltGr on many keyboards.
  if (ctrlKey && !altKey) return controlOf(key);
  return altKey && !ctrlKey && key.length === 1 ? `\u001b${key}` : undefined;
}

/** Returns the control character of a letter or a sign, such as ^C. */
function controlOf(key: string): string | undefined {
  if (key === ' ') return '\u0000';
  if (key === '/') return '\u001f';
  if (!/^[A-Za-z@[\\\]^_]$/.test(key)) return undefined;
  return String.fromCodePoint((key.toUpperCase().codePointAt(0) ?? 0) % 32);
}

/** Returns a pasted text as a terminal gets it. `isMarked`: the program asked to be told what is pasted. */
export function pasted(text: string, isMarked: boolean): string {
  const lines = text.replaceAll(/\r?\n/g, '\r');
  // A text with the mark of the end would run as commands.
  return isMarked ? `\u001b[200~${lines.replaceAll('\u001b', '')}\u001b[201~` : lines;
}
