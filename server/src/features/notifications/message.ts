import { oneLine } from '../../lib/one-line.ts';
import type { NotificationKind } from './choice.ts';

/** One line of a message. */
export interface Item {
  readonly kind: NotificationKind;
  readonly name: string;
  /** The address with more about it; `''` for none. */
  readonly url: string;
}

/** A message as text, as HTML, and in Slack's format. */
export interface Message {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly slack: string;
}

/** More are only counted. */
const mostItems = 20;

const happened: Readonly<Record<NotificationKind, string>> = {
  'session.needs_you': 'needs you',
  'session.finished': 'is finished',
  'session.failed': 'failed',
  'webhook.disabled': 'was disabled, because its receiver keeps failing',
  'webhook.delivery_failed': 'did not get an event that its receiver refused for 5 days',
};

/** Writes one message for everything that happened; at least one item. */
export function messageOf(organization: string, all: readonly Item[]): Message {
  const [first] = all;
  const items = all.slice(0, mostItems);
  const more = all.length > items.length ? `And ${all.length - items.length} more.` : '';
  const place = oneLine(organization);
  const what = all.length === 1 && first !== undefined ? lineOf(first) : countsOf(all);
  const subject = `${what} · ${place}`.slice(0, 200);
  const end = `You get this message because of the notifications chosen in ${place} on Guildhall.`;
  const text = [...items.map((item) => [lineOf(item), item.url].filter((part) => part !== '').join('\n')), more, end]
    .filter((part) => part !== '')
    .join('\n\n');
  return { subject, text: `${text}\n`, html: htmlOf(subject, items, more, end), slack: slackOf(place, items, more) };
}

function lineOf({ kind, name }: Item): string {
  return `${oneLine(name)} ${happened[kind]}`;
}

function countsOf(all: readonly Item[]): string {
  const count = (kind: NotificationKind): number => all.filter((item) => item.kind === kind).length;
  const parts: (readonly [number, string])[] = [
    [count('session.needs_you'), 'need you'],
    [count('session.failed'), 'failed'],
    [count('session.finished'), 'finished'],
    [count('webhook.disabled'), 'webhooks disabled'],
    [count('webhook.delivery_failed'), 'webhooks with refused events'],
  ];
  return parts
    .filter(([number]) => number > 0)
    .map(([number, words]) => `${number} ${words}`)
    .join(', ');
}

function htmlOf(subject: string, items: readonly Item[], more: string, end: string): string {
  const rows = items.map((item) => {
    const line = escapeHtml(lineOf(item));
    return item.url === '' ? `<li>${line}</li>` : `<li><a href="${escapeHtml(item.url)}">${line}</a></li>`;
  });
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>
<body style="margin:0;padding:32px 16px;color:#1d1d1b;font:16px/1.55 system-ui,-apple-system,'Segoe UI',sans-serif">
<ul>
${rows.join('\n')}
</ul>
${more === '' ? '' : `<p>${escapeHtml(more)}</p>\n`}<p style="font-size:14px;color:#5b5b55">${escapeHtml(end)}</p>
</body>
</html>
`;
}

function slackOf(place: string, items: readonly Item[], more: string): string {
  const rows = items.map((item) => {
    const line = escapeSlack(lineOf(item));
    return item.url === '' ? `• ${line}` : `• <${item.url}|${line}>`;
  });
  return [`*${escapeSlack(place)}*`, ...rows, more].filter((line) => line !== '').join('\n');
}

/** Slack's own escapes; `|` would end the address of a link. */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('|', '¦');
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
