/** The parts of a preview's URL, as sent: nothing is decoded. */
export interface PreviewUrl {
  organization: string;
  session: string;
  port: string;
  /** `''` for none. */
  ticket: string;
  /** The path at the server with its query; `''` if the URL ends with the port or the ticket. */
  path: string;
}

const pattern =
  /^\/v3\/organizations\/([^/?#]+)\/sessions\/([^/?#]+)\/preview\/(\d{1,5})(?:\/~([\w-]{40,400})(?=[/?]|$))?([/?].*)?$/;

/**
 * Reads the URL of a preview; undefined for any other. Authentication and handler both use it: a ticket that only one of them
 * sees would sign a person in whom the other takes for one with a cookie.
 */
export function readPreviewUrl(url: string): PreviewUrl | undefined {
  const match = pattern.exec(url);
  if (match === null) return undefined;
  const [, organization = '', session = '', port = '', ticket = '', path = ''] = match;
  return { organization, session, port, ticket, path };
}
