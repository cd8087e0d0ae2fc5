import { oneLine } from '../../lib/one-line.ts';
import type { NotificationKind } from './choice.ts';

/** One line of a message. */
export interface Item {
  readonly kind: NotificationKind;
  readonly name: string;
  /** The address with more about it; `''` for none. */
  readonly url: string;
  /** The end of a change request, or the reason why it needs a person; `''` for nothing. */
  readonly detail: string;
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

/** A longer reason is cut, in characters. */
const longestDetail = 200;

/** Words for a thing, and for one and several of them in a count. */
const happened: Readonly<Record<NotificationKind, readonly [one: string, count: string, counts: string]>> = {
  'session.needs_you': ['needs you', 'needs you', 'need you'],
  'change_request.needs_you': ['needs you', 'needs you', 'need you'],
  'session.failed': ['failed', 'failed', 'failed'],
  'session.finished': ['is finished', 'finished', 'finished'],
  'change_request.ready': ['is ready to merge', 'ready to merge', 'ready to merge'],
  'change_request.ended': ['was merged or closed', 'merged or closed', 'merged or closed'],
  'webhook.disabled': ['was disabled, because its receiver keeps failing', 'webhook disabled', 'webhooks disabled'],
  'webhook.delivery_failed': [
    'lost an event, because its receiver refused it for 5 days',
    'webhook with a lost event',
    'webhooks with lost events',
  ],
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

function lineOf({ kind, name, detail }: Item): string {
  const said = oneLine(detail).slice(0, longestDetail).replace(/\.$/, '');
  const [what] = happened[kind];
  if (said === '') return `${oneLine(name)} ${what}`;
  return kind === 'change_request.ended' ? `${oneLine(name)} was ${said}` : `${oneLine(name)} ${what}: ${said}`;
}

function countsOf(all: readonly Item[]): string {
  const counts = new Map<string, { count: number; words: readonly [string, string] }>();
  for (const [kind, [, one, many]] of Object.entries(happened)) {
    const count = all.filter((item) => item.kind === kind).length + (counts.get(many)?.count ?? 0);
    counts.set(many, { count, words: [one, many] });
  }
  return [...counts.values()]
    .filter(({ count }) => count > 0)
    .map(({ count, words: [one, many] }) => `${count} ${count === 1 ? one : many}`)
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
