import type { Server } from './queries.ts';

/** Returns lines as a map: `NAME=value` or `Name: value`. A line without the mark has no value, and the API refuses it. */
export function mapOf(text: string, mark: '=' | ':'): Record<string, string> {
  const entries = linesOf(text).map((line): [string, string] => {
    const at = line.indexOf(mark);
    return at === -1 ? [line, ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
  });
  return Object.fromEntries(entries);
}

/** Returns a map as lines. */
export function textOf(map: Readonly<Record<string, string>>, mark: '=' | ':'): string {
  const between = mark === ':' ? ': ' : '=';
  return Object.entries(map)
    .map(([name, value]) => `${name}${between}${value}`)
    .join('\n');
}

/** Returns the lines that are not blank. */
export function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** A secret of a server. */
export interface NamedSecret {
  name: string;
  /** True if the server's headers or variables have a placeholder for it. */
  isUsed: boolean;
  isSet: boolean;
}

/** Returns the secrets that a server's placeholders name, and those that have a value. */
export function secretsOf({ env, headers, secret_names: set }: Pick<Server, 'env' | 'headers' | 'secret_names'>) {
  const used = [...Object.values(env), ...Object.values(headers)].flatMap((value) =>
    [...value.matchAll(/\$\{([A-Za-z_][A-Za-z0-9_]{0,255})\}/g)].map(([, name = '']) => name),
  );
  return [...new Set([...used, ...set])]
    .toSorted()
    .map((name): NamedSecret => ({ name, isUsed: used.includes(name), isSet: set.includes(name) }));
}
