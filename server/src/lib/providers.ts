/** The supported git hosts. */
export const providers = ['github', 'gitlab', 'pagure', 'local'] as const;
export type Provider = (typeof providers)[number];

/** The built-in git host; every organization has it and cannot remove it. */
export const builtInProvider = 'local' satisfies Provider;

/** Returns true if a repository's owner may contain slashes: a group of GitLab, or the owner of a fork of Pagure. */
export function allowsDeepOwner(provider: Provider): boolean {
  return provider === 'gitlab' || provider === 'pagure';
}

/** A repository name; without a provider it matches any. */
export interface NamedRepository {
  provider?: Provider | undefined;
  /** `owner/name`; some providers have owners with slashes ({@link allowsDeepOwner}). */
  repo: string;
}

/** The source of a regular expression for a repository's name without a provider. */
export const repositoryName = String.raw`\.?[A-Za-z0-9_][A-Za-z0-9._-]*(?:/\.?[A-Za-z0-9_][A-Za-z0-9._-]*)+`;

/** The source of a regular expression for a prefix, such as `github:`. */
export const providerPrefix = `(?:${providers.join('|')}):`;

/** Parses `owner/name` with an optional prefix, such as `github:`. */
export function parseRepositoryName(text: string): NamedRepository {
  const provider = providers.find((candidate) => text.startsWith(`${candidate}:`));
  return provider === undefined ? { repo: text } : { provider, repo: text.slice(provider.length + 1) };
}

/** Returns the name in lower case, with its provider in front if it has one: names are compared case-insensitively. */
export function comparableName({ provider, repo }: NamedRepository): string {
  return provider === undefined ? repo.toLowerCase() : `${provider}:${repo.toLowerCase()}`;
}

/** Lists the prefixes for a sentence: each between `quote`s, the last after "or". */
export function prefixesText(quote = ''): string {
  const named = providers.map((provider) => `${quote}${provider}:${quote}`);
  return `${named.slice(0, -1).join(', ')} or ${named.at(-1)}`;
}
