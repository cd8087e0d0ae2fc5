/** Returns the URL of an organization in the console; what is in it has the API's paths below. */
export function consoleUrl(ctx: { readonly baseUrl: () => string }, slug: string): string {
  return `${ctx.baseUrl()}/console/${slug}`;
}
