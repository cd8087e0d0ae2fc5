/** Verbs whose participle is not formed with -ed. */
const participles: Readonly<Record<string, string>> = {
  resend: 'resent',
  reset: 'reset',
  set: 'set',
  withdraw: 'withdrawn',
};

/** Acts whose names do not end with a verb. */
const phrases: Readonly<Record<string, string>> = {
  comment: 'comment_created',
  delete_all: 'all_deleted',
  delete_secret: 'secret_deleted',
  message: 'message_created',
  screenshot: 'screenshot_taken',
  set_secret: 'secret_set',
  set_value: 'value_set',
};

/**
 * Returns the event type of an audited action: `secret.update` → `secret.updated`, `group.members_add` →
 * `group.members_added`.
 */
export function eventType(action: string): string {
  const [resource = '', act = ''] = action.split('.');
  const phrase = phrases[act];
  if (phrase !== undefined) return `${resource}.${phrase}`;
  const words = act.split('_');
  const verb = words.pop() ?? '';
  return `${resource}.${[...words, participles[verb] ?? participleOf(verb)].join('_')}`;
}

function participleOf(verb: string): string {
  if (verb.endsWith('e')) return `${verb}d`;
  return /[^aeiou]y$/.test(verb) ? `${verb.slice(0, -1)}ied` : `${verb}ed`;
}
