import { isMap, isScalar, parseDocument, type Document, type LineCounter, type Pair } from 'yaml';

/**
 * Parses untrusted YAML. By default the library compares every key of a mapping with every other and formats every error, which
 * a hostile text can stretch to minutes. Without that, the time depends on the length alone, which the caller bounds; {@link
 * repeatedKey} finds duplicate keys.
 */
export function parseForeignYaml(text: string, options: { schema?: 'core'; lineCounter?: LineCounter } = {}): Document {
  return parseDocument(text, {
    ...options,
    version: '1.2',
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'silent',
  });
}

/** Returns the first entry of a mapping with a duplicate key; undefined also for anything but a mapping. */
export function repeatedKey(node: unknown): Pair | undefined {
  if (!isMap(node)) return undefined;
  const seen = new Set<unknown>();
  return node.items.find(({ key }) => {
    const value = isScalar(key) ? key.value : key;
    const isRepeated = seen.has(value);
    seen.add(value);
    return isRepeated;
  });
}
