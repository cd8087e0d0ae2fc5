/** The kinds of git host that a repository may be on; `local` is the built-in one. */
export const providers = ['github', 'gitlab', 'local'] as const;
