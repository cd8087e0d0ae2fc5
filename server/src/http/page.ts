import { randomBytes } from 'node:crypto';
import type { FastifyReply } from 'fastify';

/** A page of ours: its content and its script. */
export interface Page {
  title: string;
  /** HTML; external values must be escaped by {@link escapeHtml}. */
  body: string;
  script?: string;
  status?: number;
}

/** Sends a self-contained page: no other file, no other host, no frame around it. */
export function sendPage(reply: FastifyReply, { title, body, script = '', status = 200 }: Page): FastifyReply {
  const nonce = randomBytes(16).toString('base64');
  const policy = `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;
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
${script === '' ? '' : `<script nonce="${nonce}">${script}</script>`}
</body>
</html>
`);
}

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

const style = `
:root { --paper: #f4f4f1; --card: #fff; --ink: #1d1d1b; --soft: #5b5b55; --line: #8a8a82; --green: #1f4d3a; --on: #fff; --red: #9f1c1c }
@media (prefers-color-scheme: dark) {
  :root { --paper: #151613; --card: #1f211d; --ink: #ecece6; --soft: #b0b0a6; --line: #77786f; --green: #8fd0b0; --on: #10241b; --red: #ff9c92 }
}
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 24px 16px; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif }
main { width: 100%; max-width: 400px; padding: 32px; background: var(--card); border-radius: 14px; box-shadow: 0 1px 2px #0002, 0 12px 32px #0001 }
.brand { margin: 0 0 20px; font-weight: 650; color: var(--green) }
h1 { margin: 0 0 8px; font-size: 24px; line-height: 1.25; text-wrap: balance }
p { margin: 0 0 16px }
.soft { color: var(--soft); font-size: 15px; overflow-wrap: anywhere }
form { display: grid; gap: 16px; margin-top: 20px }
label { display: grid; gap: 6px; font-weight: 550; font-size: 15px }
input { font: inherit; font-weight: 400; width: 100%; padding: 10px 12px; color: inherit; background: transparent; border: 1px solid var(--line); border-radius: 8px }
small { color: var(--soft); font-weight: 400; font-size: 14px }
button, .button { font: inherit; font-weight: 600; display: block; width: 100%; padding: 11px 16px; text-align: center; text-decoration: none; cursor: pointer; color: var(--on); background: var(--green); border: 1px solid var(--green); border-radius: 8px }
.quiet { color: var(--green); background: transparent; margin-top: 12px }
button[disabled] { opacity: .6; cursor: progress }
:focus-visible { outline: 3px solid color-mix(in srgb, var(--green) 55%, transparent); outline-offset: 2px }
[role=alert] { color: var(--red); margin: 0; font-size: 15px }
[role=alert]:empty { display: none }
ul { padding-left: 20px; margin: 0 0 16px }
[hidden] { display: none }
@media (max-width: 400px) { main { padding: 24px 20px } }
`;

/** The scripts of our pages: send JSON, and show a form's errors. */
export const formScript = `
const send = (path, body, method = 'POST') => fetch(path, { method, headers: { 'content-type': 'application/json', 'x-guildhall-csrf': '1' }, body: JSON.stringify(body) });
const onSubmit = (form, act) => form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const [button, alert] = [form.querySelector('button'), form.querySelector('[role=alert]')];
  button.disabled = true;
  alert.textContent = '';
  try {
    const answer = await act(Object.fromEntries(new FormData(form)));
    if (!answer.ok) alert.textContent = (await answer.json()).message.replace(/^body[.](\\w)(\\w*)/, (_, first, rest) => first.toUpperCase() + rest.replaceAll('_', ' '));
  } catch {
    alert.textContent = 'Guildhall cannot be reached. Try again.';
  }
  button.disabled = false;
});
`;
