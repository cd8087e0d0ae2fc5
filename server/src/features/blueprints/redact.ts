import { trimOf } from '../../lib/trim.ts';
import { pointerStep } from '../../lib/json-pointer.ts';

/** The place of a credential, as a JSON pointer, and the name in its placeholder. */
export interface Redaction {
  path: string;
  name: string;
}

/** Names of fields that contain a credential, in any spelling. */
const secretName =
  /(?:^|[_-])(?:authorization|cookie|token|secret|password|passwd|passphrase|credentials?|key)$|api[_-]?key|private[_-]?key|access[_-]?key/;

/** Credentials that are recognized by their form in any field. */
const secretForms = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/,
  /\b(?:guild|guildmcp)_[0-9a-f]{40,}\b/,
  /\bgh[pousr]_[A-Za-z0-9]{30,}\b|\bgithub_pat_[A-Za-z0-9_]{30,}\b/,
  /\bglpat-[A-Za-z0-9_-]{20,}/,
  /\bsk-[A-Za-z0-9_-]{20,}/,
  /\bxox[abprs]-[A-Za-z0-9-]{10,}/,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/,
  /\bAIza[A-Za-z0-9_-]{35}/,
  /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,2000}\.eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]+/,
  /\bnpm_[A-Za-z0-9]{36}\b/,
  // The lookbehind is bounded, so that matching takes linear time. These match a value after a scheme, user information
  // in a URL, and the value of a variable or option with such a name.
  /(?<=\b(?:bearer|basic)\s{1,4})[A-Za-z0-9+/_.~=-]{8,}/i,
  /(?<=\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@:'"]+:[^\s/@'"]+(?=@)/i,
  /(?<=(?:^|[\s;'"]|--)(?:[A-Za-z0-9]+[_-])*(?:token|secret|password|passwd|passphrase|api[_-]?key|private[_-]?key|access[_-]?key)["']?(?:=|\s{0,4}:\s{0,4}))(?!\$)(?:"[^"]+"|'[^']+'|[^\s"';&|]+)/i,
  /(?<=--(?:[A-Za-z0-9]+[_-])*(?:token|secret|password|passwd|passphrase|api[_-]?key)\s{1,4})(?![$-])(?:"[^"]+"|'[^']+'|[^\s"';&|]+)/i,
] as const;
const anySecret = new RegExp(secretForms.map(({ source }) => `(?:${source})`).join('|'), 'gi');

/** An existing placeholder for a credential in a text. */
const reference = /(\{"\$secret":"[A-Za-z_][A-Za-z0-9_]*"\})/;

/**
 * Returns a JSON value with `{"$secret": "NAME"}` for every credential, recognized by its name or form. Within a longer
 * text the placeholder is inserted as text. Existing placeholders are kept.
 */
export function redact(value: unknown, path: string, redactions: Redaction[]): unknown {
  if (typeof value === 'string') return redactText(value, path, redactions);
  if (Array.isArray(value)) return value.map((item, at) => redact(item, `${path}/${at}`, redactions));
  if (typeof value !== 'object' || value === null) return value;
  if (isPlaceholder(value)) return placeholder(value.$secret, path, redactions);
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const below = `${path}${pointerStep(key)}`;
      const isText = typeof inner === 'string' && inner !== '' && !reference.test(inner);
      const isSecret = isText && secretName.test(snake(key));
      return [key, isSecret ? placeholder(secretNameOf(key), below, redactions) : redact(inner, below, redactions)];
    }),
  );
}

function redactText(text: string, path: string, redactions: Redaction[]): unknown {
  const name = secretNameOf(path.split('/').findLast((part) => !/^\d*$/.test(part)) ?? '');
  let count = 0;
  const parts = text.split(reference).map((part) => {
    if (reference.test(part)) {
      redactions.push({ path, name: part.slice('{"$secret":"'.length, -'"}'.length) });
      return part;
    }
    return part.replaceAll(anySecret, () => {
      count += 1;
      return JSON.stringify(placeholder(count === 1 ? name : `${name}_${count}`, path, redactions));
    });
  });
  const left = parts.join('');
  // A text that is only a credential becomes the placeholder itself.
  return count === 1 && left === JSON.stringify({ $secret: name }) ? { $secret: name } : left;
}

function isPlaceholder(value: object): value is { $secret: string } {
  const [entry, ...more] = Object.entries(value);
  return more.length === 0 && entry?.[0] === '$secret' && /^[A-Za-z_][A-Za-z0-9_]{0,255}$/.test(String(entry[1]));
}

function placeholder(name: string, path: string, redactions: Redaction[]): { $secret: string } {
  redactions.push({ path, name });
  return { $secret: name };
}

/** Converts a key to a valid name of an organization secret. */
function secretNameOf(key: string): string {
  const name = trimOf(
    snake(key)
      .toUpperCase()
      .replaceAll(/[^A-Z0-9]+/g, '_'),
    '_',
  );
  return /^[A-Z]/.test(name) ? name : `SECRET_${name}`.replace(/_$/, '');
}

function snake(key: string): string {
  return key.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
}
