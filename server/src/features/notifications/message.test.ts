import { expect, test } from 'vitest';
import { messageOf, type Item } from './message.ts';

const item = (kind: Item['kind'], detail = '', name = 'Fix the cart (#3 of acme/shop)'): Item => ({
  kind,
  name,
  url: 'https://guildhall.example.com/x',
  detail,
});

test.for<[Item, string]>([
  [item('session.needs_you', '', 'Fix the cart'), 'Fix the cart needs you'],
  [item('session.finished', '', 'Fix the cart'), 'Fix the cart is finished'],
  [item('session.failed', '', 'Fix the cart'), 'Fix the cart failed'],
  [item('change_request.needs_you', 'Checks fail.'), 'Fix the cart (#3 of acme/shop) needs you: Checks fail'],
  [item('change_request.needs_you'), 'Fix the cart (#3 of acme/shop) needs you'],
  [item('change_request.ready'), 'Fix the cart (#3 of acme/shop) is ready to merge'],
  [item('change_request.ended', 'merged'), 'Fix the cart (#3 of acme/shop) was merged'],
  [item('change_request.ended', 'closed'), 'Fix the cart (#3 of acme/shop) was closed'],
  [
    item('webhook.disabled', '', 'The webhook hk_1'),
    'The webhook hk_1 was disabled, because its receiver keeps failing',
  ],
  [
    item('webhook.delivery_failed', '', 'The webhook hk_1'),
    'The webhook hk_1 lost an event, because its receiver refused it for 5 days',
  ],
])('%o', ([one, line]) => {
  const { subject, text, html, slack } = messageOf('Acme', [one]);
  expect(subject).toBe(`${line} · Acme`);
  const end = 'You get this message because of the notifications chosen in Acme on Guildhall.';
  expect(text).toBe(`${line}\nhttps://guildhall.example.com/x\n\n${end}\n`);
  expect(html).toContain(`<a href="https://guildhall.example.com/x">${line}</a>`);
  expect(slack).toBe(`*Acme*\n• <https://guildhall.example.com/x|${line}>`);
});

test('several are counted', () => {
  const subjectOf = (...kinds: Item['kind'][]): string =>
    messageOf(
      'Acme',
      kinds.map((kind) => item(kind)),
    ).subject;
  expect(subjectOf('session.needs_you', 'change_request.ready')).toBe('1 needs you, 1 ready to merge · Acme');
  expect(subjectOf('session.needs_you', 'change_request.needs_you', 'session.failed')).toBe(
    '2 need you, 1 failed · Acme',
  );
  expect(subjectOf('webhook.disabled', 'change_request.ended', 'change_request.ended')).toBe(
    '2 merged or closed, 1 webhook disabled · Acme',
  );
});

test('a reason is one short line, without the marks of a format', () => {
  const reason = `The same failure is back after a fix: <b>|boom|</b>\n\u{202e}${'x'.repeat(500)}`;
  const { subject, html, slack } = messageOf('Acme', [item('change_request.needs_you', reason)]);
  expect(subject).not.toContain('\n');
  expect(html).toContain('&#60;b&#62;');
  expect(slack.split('\n')).toHaveLength(2);
  expect(slack).toContain('&lt;b&gt;¦boom¦&lt;/b&gt;');
  expect(slack.length).toBeLessThan(400);
});
