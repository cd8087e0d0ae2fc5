/** The kinds of git host that a repository may be on. */
export const providers = ['github', 'gitlab', 'local'] as const;
export type Provider = (typeof providers)[number];

/** The git host inside this installation: every organization has it from the start, and keeps it. */
export const builtInProvider = 'local' satisfies Provider;

/** A repository as somebody names it; without a provider it may be of any. */
export interface NamedRepository {
  provider?: Provider | undefined;
  /** `owner/name`; at GitLab the owner may hold further slashes. */
  repo: string;
}

/** The source of a regular expression for `github:`, `gitlab:` or `local:`. */
export const providerPrefix = `(?:${providers.join('|')}):`;

/** Divides `owner/name`, or the same with `github:`, `gitlab:` or `local:` in front. */
export function parseRepositoryName(text: string): NamedRepository {
  const provider = providers.find((candidate) => text.startsWith(`${candidate}:`));
  return provider === undefined ? { repo: text } : { provider, repo: text.slice(provider.length + 1) };
}

/** The prefixes as a sentence lists them: each between `quote`s, the last after "or". */
export function prefixesText(quote = ''): string {
  const named = providers.map((provider) => `${quote}${provider}:${quote}`);
  return `${named.slice(0, -1).join(', ')} or ${named.at(-1)}`;
}
