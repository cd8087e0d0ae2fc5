import { createServer } from 'node:http';

const page = `<!doctype html>
<html lang="en"><meta name="viewport" content="width=device-width"><title>Bare</title>
<h1>Sign in</h1><label>E-mail <input name="email"></label></html>`;

export interface BarePage {
  url: string;
  close(): void;
}

/** Starts a server with one page of one field and no script: what a browser takes for itself. */
export async function startBarePage(): Promise<BarePage> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8').end(page);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The bare page has no port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
