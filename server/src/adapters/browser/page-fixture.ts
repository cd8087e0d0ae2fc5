import type { RequestListener, ServerResponse } from 'node:http';

/** Pages that a browser must handle. */
export const pageServer: RequestListener = (request, response) => {
  const url = new URL(request.url ?? '/', 'http://pages.test');
  const page = pages[url.pathname];
  if (page === undefined) {
    response.writeHead(404, html).end('<title>Not here</title>');
    return;
  }
  if (typeof page === 'string') response.writeHead(200, html).end(page);
  else page(response, url.searchParams);
};

const html = { 'content-type': 'text/html; charset=utf-8' };
const busy = 'for (;;) {}';

const pages: Readonly<Record<string, string | ((response: ServerResponse, query: URLSearchParams) => void)>> = {
  '/': '<title>Home</title><a id=two href="/two">two</a><form action="/found"><input name=q></form>',
  '/two': '<title>Two</title>',
  '/found': (response, query) =>
    response.writeHead(200, html).end(`<title>Found</title>You asked for ${query.get('q')}`),
  '/moved': (response) => response.writeHead(302, { location: '/' }).end(),
  '/script-moved': '<script>location = "/"</script>',
  '/auth': (response) => response.writeHead(401, { ...html, 'www-authenticate': 'Basic realm="x"' }).end('no'),
  '/huge': `<title>${'t'.repeat(5_000)}</title><pre>${'ä'.repeat(1_500_000)}</pre>`,
  '/tall': '<body style="margin: 0"><div style="height: 200000px; background: linear-gradient(red, blue)">tall</div>',
  '/download': (response) =>
    response
      .writeHead(200, { 'content-type': 'application/zip', 'content-disposition': 'attachment; filename=a.zip' })
      .end('PK'),
  '/empty': (response) => response.writeHead(204).end(),
  '/circle': (response) => response.writeHead(302, { location: '/circle' }).end(),
  '/broken': (response) => response.destroy(),
  '/redirect': (response, query) => response.writeHead(302, { location: query.get('to') ?? '' }).end(),
  '/link': (response, query) => response.writeHead(200, html).end(`<a href="${query.get('to')}">there</a>`),
  '/frame': (response, query) =>
    response.writeHead(200, html).end(`<title>Frame</title><iframe src="${query.get('to')}"></iframe>`),
  '/dialogs': `<title>-</title><button onclick="onbeforeunload = (event) => event.preventDefault()">stay</button>
    <script>alert(1); document.title = [prompt(2), confirm(3), prompt(4)].map(String).join(' '); print()</script>`,
  '/popups': `<title>Pop-ups</title><button onclick="window.open('/two'); window.open('/busy-later'); document.querySelector('a').click(); print()">more</button>
    <a target=_blank href="/two"></a><script>open('/two')</script>`,
  '/never': () => undefined,
  '/trickle': (response) => {
    response.writeHead(200, html).write('<title>Trickle</title>');
    const timer = setInterval(() => response.write('<p>more'), 50);
    response.once('close', () => clearInterval(timer));
  },
  '/slow-part': '<title>Slow part</title><img src="/never"><p>here',
  '/busy': `<title>Busy</title><script>${busy}</script>`,
  '/busy-later': `<title>Busy later</title><button onclick="setTimeout(() => { ${busy} })">go</button>`,
};
