/** The supported git hosts. */
export const providers = ['github', 'gitlab', 'local'] as const;
export type Provider = (typeof providers)[number];

/** The built-in git host; every organization has it and cannot remove it. */
export const builtInProvider = 'local' satisfies Provider;

/** A repository name; without a provider it matches any. */
export interface NamedRepository {
  provider?: Provider | undefined;
  /** `owner/name`; at GitLab the owner may contain further slashes. */
  repo: string;
}

/** The source of a regular expression for `github:`, `gitlab:` or `local:`. */
export const providerPrefix = `(?:${providers.join('|')}):`;

/** Parses `owner/name` with an optional prefix `github:`, `gitlab:` or `local:`. */
export function parseRepositoryName(text: string): NamedRepository {
  const provider = providers.find((candidate) => text.startsWith(`${candidate}:`));
  return provider === undefined ? { repo: text } : { provider, repo: text.slice(provider.length + 1) };
}

/** Lists the prefixes for a sentence: each between `quote`s, the last after "or". */
export function prefixesText(quote = ''): string {
  const named = providers.map((provider) => `${quote}${provider}:${quote}`);
  return `${named.slice(0, -1).join(', ')} or ${named.at(-1)}`;
}
