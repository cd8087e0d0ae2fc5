import { isMap, isScalar, parseDocument, type Document, type LineCounter, type Pair } from 'yaml';

/**
 * Reads YAML that anybody may have written. The library holds every key of a mapping against every other one, and draws a
 * picture of every error: minutes, for a text that is made for it. Without that it takes time by the length alone, which
 * the caller bounds; {@link repeatedKey} finds a key that is there twice.
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

/** The first entry of a mapping whose key an earlier one has already; undefined also for what is no mapping. */
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
