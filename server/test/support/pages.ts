import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A web site on loopback. */
export interface Site {
  /** Without a trailing slash. */
  url: string;
  /** In the format of `GUILDHALL_EGRESS_ALLOW`. */
  target: string;
  /** The requested paths, without favicons. */
  hits: string[];
  close(): Promise<void>;
}

/** Serves pages by path; one without content never responds. */
export async function startSite(
  pages: Record<string, string | ((request: IncomingMessage, response: ServerResponse) => void)>,
): Promise<Site> {
  const hits: string[] = [];
  const server = createServer((request, response) => {
    const path = URL.parse(request.url ?? '', 'http://site')?.pathname ?? '';
    if (path !== '/favicon.ico') hits.push(path);
    const page = pages[path];
    if (typeof page === 'function') page(request, response);
    else if (page === undefined)
      response.writeHead(404, { 'content-type': 'text/html' }).end('<title>Not here</title>');
    else response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = addressOf(server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    target: `127.0.0.1:${port}`,
    hits,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function addressOf(address: AddressInfo | string | null): AddressInfo {
  if (address === null || typeof address === 'string') throw new Error('The site listens nowhere.');
  return address;
}
