/** Names whose values are credentials, in any `changes`: `client_secret`, `apiKey`, `Authorization` … */
const credentialName =
  /(^|_)(password|passwd|passphrase|pass|secret|token|credential|authorization|cookie|private_key|api_key|access_key|secret_key|signature)s?$/;
/** Matches credentials by their form: keys of this installation, and passwords in URLs. */
const credentialText = /guild(?:mcp)?_[0-9a-f]{48}|(?<=:\/\/)[^\s/@]+(?=@)/g;
const longestText = 2_000;
const redacted = '[redacted]';

/**
 * Redacts the changes of an audit entry: texts under a credential's name at any depth, texts with the form of a
 * credential, and the end of long texts. Numbers and booleans are kept, such as `max_tokens`.
 */
export function redact(changes: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(changes).map(([name, value]) => [name, redactMember(name, value)]));
}

function redactMember(name: string, value: unknown): unknown {
  const words = name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').replaceAll(/[^A-Za-z0-9]+/g, '_');
  return credentialName.test(words.toLowerCase()) ? withoutText(value) : redactValue(value);
}

function redactValue(value: unknown): unknown {
  if (typeof value === 'string') return redactText(value);
  if (Array.isArray(value)) return value.map(redactValue);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return redact({ ...value });
}

function withoutText(value: unknown): unknown {
  return typeof value === 'string' || (typeof value === 'object' && value !== null) ? redacted : value;
}

function redactText(text: string): string {
  const safe = text.replaceAll(credentialText, redacted);
  return safe.length > longestText ? `${safe.slice(0, longestText).toWellFormed()}… (${text.length} characters)` : safe;
}
