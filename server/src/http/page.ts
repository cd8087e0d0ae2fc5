import { randomBytes } from 'node:crypto';
import type { FastifyReply } from 'fastify';

/** A page that is not the console's, for a browser that another site sent here, or while the console is not built. */
export interface Page {
  title: string;
  /** HTML; external values must be escaped by {@link escapeHtml}. */
  body: string;
  status?: number;
}

/** Sends a self-contained page: no other file, no other host, no frame around it. */
export function sendPage(reply: FastifyReply, { title, body, status = 200 }: Page): FastifyReply {
  const nonce = randomBytes(16).toString('base64');
  const policy = `default-src 'none'; style-src 'nonce-${nonce}'; base-uri 'none'; frame-ancestors 'none'`;
  return reply.code(status).header('content-security-policy', policy).type('text/html; charset=utf-8')
    .send(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · Guildhall</title>
<style nonce="${nonce}">${style}</style>
</head>
<body>
<main>
<p class="brand" aria-hidden="true">Guildhall</p>
<h1>${escapeHtml(title)}</h1>
${body}
</main>
</body>
</html>
`);
}

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

const style = `
:root { --paper: #f4f4f1; --card: #fff; --ink: #1d1d1b; --green: #1f4d3a; --on: #fff }
@media (prefers-color-scheme: dark) {
  :root { --paper: #151613; --card: #1f211d; --ink: #ecece6; --green: #8fd0b0; --on: #10241b }
}
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 24px 16px; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif }
main { width: 100%; max-width: 400px; padding: 32px; background: var(--card); border-radius: 10px }
.brand { margin: 0 0 20px; font-weight: 650; color: var(--green) }
h1 { margin: 0 0 8px; font-size: 24px; line-height: 1.25; text-wrap: balance }
p { margin: 0 0 16px; overflow-wrap: anywhere }
.button { font-weight: 600; display: block; padding: 11px 16px; text-align: center; text-decoration: none; color: var(--on); background: var(--green); border-radius: 8px }
:focus-visible { outline: 3px solid color-mix(in srgb, var(--green) 55%, transparent); outline-offset: 2px }
@media (max-width: 400px) { main { padding: 24px 20px } }
`;
