/** The base URLs of a GitHub host's APIs, without a trailing slash. */
export interface Endpoints {
  readonly rest: string;
  readonly graphql: string;
}

/** Returns the APIs of a host by its web address: github.com, GHE.com (`https://<name>.ghe.com`), or GitHub Enterprise Server. */
export function endpointsOf(webUrl: string): Endpoints {
  const { protocol, host, hostname } = new URL(webUrl);
  if (hostname === 'github.com' || hostname.endsWith('.ghe.com')) {
    const rest = `${protocol}//api.${host}`;
    return { rest, graphql: `${rest}/graphql` };
  }
  return { rest: `${webUrl}/api/v3`, graphql: `${webUrl}/api/graphql` };
}
