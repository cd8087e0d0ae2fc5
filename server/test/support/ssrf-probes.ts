import type { ServerResponse } from 'node:http';

/** A way to reach an internal address. */
export interface Probe {
  readonly group: string;
  readonly name: string;
  /** The URL for the browser. */
  readonly url: string;
  /** The site's response at that URL, if it is one of its pages. */
  readonly serve?: (response: ServerResponse) => void;
  /** The end of the page: it reports when it has tried everything, unless it navigates away. */
  readonly ends: 'at_once' | 'leaves' | 'reports';
}

export interface Targets {
  readonly port: number;
  readonly udpPort: number;
  readonly siteUrl: string;
  readonly gatewayUrl: string;
  /** A file on the host. */
  readonly file: string;
}

/** The group for routes that the gateway serves only to programs of a sandbox. */
export const ownRoutes = "the gateway's own routes";

export function probesOf(targets: Targets, each: boolean): Probe[] {
  return [
    ...spellings(targets),
    ...schemes(targets),
    ...redirects(targets),
    ...pageNavigations(targets),
    ...subresources(targets, each),
    ...others(targets),
  ];
}

function spellings({ port }: Targets): Probe[] {
  const hosts = {
    'names that resolve to it': ['internal.test', 'six.test', 'mapped.test', 'localhost', 'a.localhost', 'localhost.'],
    'IPv4 spellings': [
      '127.0.0.1',
      '127.1',
      '127.0.0.1.',
      '2130706433',
      '0x7f000001',
      '0x7f.1',
      '017700000001',
      '0177.0.0.1',
      '0',
      '0.0.0.0',
      '%31%32%37.0.0.1',
      '１２７.０.０.１',
    ],
    'IPv6 spellings': [
      '[::1]',
      '[0:0:0:0:0:0:0:1]',
      '[::]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[::127.0.0.1]',
      '[64:ff9b::7f00:1]',
      '[2002:7f00:1::]',
    ],
  };
  const metadata = ['169.254.169.254', '[fd00:ec2::254]', '10.0.0.1', '192.168.0.1', '100.64.0.1'];
  return [
    ...Object.entries(hosts).flatMap(([group, names]) =>
      names.map((name) => navigation(group, name, `http://${name}:${port}/`)),
    ),
    ...['https', 'http'].map((scheme) =>
      navigation('port tricks', `${scheme} to it`, `${scheme}://internal.test:${port}/`),
    ),
    navigation('port tricks', 'a user that looks like a host', `http://site.test:80@127.0.0.1:${port}/`),
    ...metadata.map((host) => navigation('metadata and private', host, `http://${host}/latest/meta-data/`)),
    { ...navigation('DNS rebinding', 'public first, then private', `http://rebind.test:${port}/`), ends: 'reports' },
  ];
}

function schemes({ port, file }: Targets): Probe[] {
  const to = `http://127.0.0.1:${port}/`;
  return [
    `file://${file}`,
    `view-source:${to}`,
    `view-source:file://${file}`,
    `data:text/html,<img src="${to}">`,
    `javascript:location="${to}"`,
    `blob:${to}`,
    `filesystem:${to}`,
    `ftp://127.0.0.1:${port}/`,
    `ws://127.0.0.1:${port}/`,
    `chrome://net-export`,
  ].map((url) =>
    navigation('other schemes', url.slice(0, url.indexOf(':') + 1) + (url.includes('source:f') ? 'file:' : ''), url),
  );
}

function redirects({ port, siteUrl, file }: Targets): Probe[] {
  const targets = [`http://127.0.0.1:${port}/`, `http://internal.test:${port}/`];
  return [
    ...[301, 302, 303, 307, 308].flatMap((status) =>
      targets.map((location) => answered(siteUrl, 'redirects', `${status} to ${location}`, status, { location })),
    ),
    answered(siteUrl, 'redirects', 'to file:', 302, { location: `file://${file}` }),
    answered(siteUrl, 'redirects', 'Refresh header', 200, { refresh: `0; url=${targets[0] ?? ''}` }),
  ];
}

/** Returns ways in which a page can navigate. */
function pageNavigations({ port, siteUrl, file }: Targets): Probe[] {
  const to = `http://127.0.0.1:${port}/`;
  const pages = {
    'meta refresh': `<meta http-equiv=refresh content="0; url=${to}">`,
    'location =': `<script>location = '${to}'</script>`,
    'location = by name': `<script>location = 'http://internal.test:${port}/'</script>`,
    'form post': `<form method=post action="${to}"></form><script>document.forms[0].submit()</script>`,
    'link to a new window': `<a id=a target=_blank href="${to}">a</a><script>document.getElementById('a').click()</script>`,
    'window.open': `<script>open('${to}')</script>`,
    'window.open of nothing': `<script>open('about:blank').location = '${to}'</script>`,
    'link to view-source:': `<a id=a href="view-source:${to}">a</a><script>document.getElementById('a').click()</script>`,
    'link to file:': `<a id=a href="file://${file}">a</a><script>document.getElementById('a').click()</script>`,
    'data: in a frame': `<iframe src='data:text/html,<img src="${to}">'></iframe>`,
    'blob: of its own': `<script>location = URL.createObjectURL(new Blob(['<img src="${to}">'], {type: 'text/html'}))</script>`,
    'file: in a frame': `<iframe src="file://${file}"></iframe>`,
  };
  return Object.entries(pages).map(([name, html]) => page(siteUrl, 'navigations of a page', name, html, 'leaves'));
}

/** Returns everything that a document can load, by three names of the same server. */
function subresources({ port, siteUrl }: Targets, each: boolean): Probe[] {
  const to = { 'by IPv4': `127.0.0.1:${port}`, 'by name': `internal.test:${port}`, 'by IPv6': `[::1]:${port}` };
  const kinds: Record<string, (host: string) => string> = {
    'img, picture, svg': (host) =>
      `<img src="http://${host}/"><img srcset="http://${host}/2 1x"><svg><image href="http://${host}/3"/></svg>`,
    'script, module, import()': (host) =>
      `<script src="http://${host}/"></script><script type=module src="http://${host}/m"></script><script>import('http://${host}/i').catch(() => 0)</script>`,
    'css, font, @import': (host) =>
      `<link rel=stylesheet href="http://${host}/"><style>@import url(http://${host}/i); @font-face {font-family: f; src: url(http://${host}/f)} p {font-family: f; background: url(http://${host}/b)}</style><p>text</p>`,
    'iframe, object, embed': (host) =>
      `<iframe src="http://${host}/"></iframe><object data="http://${host}/o"></object><embed src="http://${host}/e"><iframe srcdoc='<img src="http://${host}/s">'></iframe>`,
    'video, audio, track': (host) =>
      `<video src="http://${host}/" poster="http://${host}/p" preload=auto></video><audio src="http://${host}/a" preload=auto></audio>`,
    fetch: (host) =>
      `<script>fetch('http://${host}/').catch(() => 0); fetch('http://${host}/', {mode: 'no-cors', method: 'POST', body: 'x'}).catch(() => 0)</script>`,
    XHR: (host) => `<script>const x = new XMLHttpRequest(); x.open('PUT', 'http://${host}/'); x.send('x')</script>`,
    EventSource: (host) => `<script>new EventSource('http://${host}/')</script>`,
    'WebSocket, wss': (host) => `<script>new WebSocket('ws://${host}/'); new WebSocket('wss://${host}/')</script>`,
    'beacon, ping': (host) =>
      `<a id=a ping="http://${host}/p" href="#x">a</a><script>navigator.sendBeacon('http://${host}/', 'x'); document.getElementById('a').click()</script>`,
    'form into a frame': (host) =>
      `<iframe name=f></iframe><form method=post target=f action="http://${host}/"></form><script>document.forms[0].submit()</script>`,
    'prefetch, preload, icon': (host) =>
      `<link rel=prefetch href="http://${host}/"><link rel=preload as=image href="http://${host}/l"><link rel=modulepreload href="http://${host}/m"><link rel=icon href="http://${host}/c"><link rel=manifest href="http://${host}/n">`,
    'preconnect, dns-prefetch': (host) =>
      `<link rel=preconnect href="http://${host}/"><link rel=dns-prefetch href="http://${host}/">`,
    prerender: (host) =>
      `<script type=speculationrules>{"prefetch": [{"source": "list", "urls": ["http://${host}/"]}], "prerender": [{"source": "list", "urls": ["http://${host}/"]}]}</script>`,
    workers: (host) => {
      const source = `URL.createObjectURL(new Blob(["importScripts('http://${host}/')"], {type: 'text/javascript'}))`;
      return `<script>new Worker(${source}); try { new SharedWorker(${source}) } catch {}; navigator.serviceWorker?.register('http://${host}/').catch(() => 0)</script>`;
    },
  };
  return Object.entries(to).flatMap(([by, host]) => {
    const pages = Object.entries(kinds).map(([kind, html]) => [kind, html(host)] as const);
    const all = [['all kinds', pages.map(([, html]) => `<section>${html}</section>`).join('\n')] as const];
    return (each ? pages : all).map(([kind, html]) => page(siteUrl, `sub-resources ${by}`, kind, html));
  });
}

function others({ siteUrl, udpPort, gatewayUrl }: Targets): Probe[] {
  const stun = `<script>
    const connection = new RTCPeerConnection({iceServers: [{urls: 'stun:127.0.0.1:${udpPort}'}, {urls: 'turn:127.0.0.1:${udpPort}?transport=udp', username: 'u', credential: 'c'}]});
    connection.createDataChannel('d');
    connection.createOffer().then((offer) => connection.setLocalDescription(offer));
  </script>`;
  const own = [
    '/api/v3/self',
    '/git/local/o/r.git/info/refs?service=git-upload-pack',
    '/model/openai/v1/models',
    '/mcp/one',
    '/broker/a/',
  ];
  return [
    page(siteUrl, 'WebRTC', 'STUN and TURN', stun),
    ...own.map((path) => {
      const url = `${gatewayUrl}${path}`;
      const html = `<img src="${url}"><iframe src="${url}"></iframe><script>fetch('${url}', {mode: 'no-cors', method: 'POST', body: 'x'}).catch(() => 0)</script>`;
      return page(siteUrl, ownRoutes, path.slice(0, path.indexOf('/', 1)), html);
    }),
    navigation(ownRoutes, 'by navigation', `${gatewayUrl}/api/v3/self`),
  ];
}

function navigation(group: string, name: string, url: string): Probe {
  return { group, name, url, ends: 'at_once' };
}

/** Returns a separate URL for each probe, because browsers cache some redirects. */
function addressOf(siteUrl: string, group: string, name: string): string {
  return `${siteUrl}/${encodeURIComponent(`${group} ${name}`.replace(/\W+/g, '-'))}`;
}

function answered(
  siteUrl: string,
  group: string,
  name: string,
  status: number,
  headers: Record<string, string>,
): Probe {
  return {
    ...navigation(group, name, addressOf(siteUrl, group, name)),
    serve: (response) => response.writeHead(status, { 'content-type': 'text/html', ...headers }).end('<p>on'),
  };
}

/** Returns a page that reports when it had time to try. */
function page(siteUrl: string, group: string, name: string, html: string, ends: Probe['ends'] = 'reports'): Probe {
  const report = `<script>addEventListener('load', () => setTimeout(() => fetch('${siteUrl}/report', {keepalive: true}), 150)); setTimeout(() => fetch('${siteUrl}/report'), 1500)</script>`;
  return {
    group,
    name,
    url: addressOf(siteUrl, group, name),
    serve: (response) =>
      response
        .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
        .end(`<!doctype html><title>${name}</title><body>${report}${html}`),
    ends,
  };
}
