const kinds = [
  ['needs_you', 'session.needs_you'],
  ['finished', 'session.finished'],
  ['failed', 'session.failed'],
  ['change_needs_you', 'change_request.needs_you'],
  ['change_ready', 'change_request.ready'],
  ['change_ended', 'change_request.ended'],
] as const;
type Kind = (typeof kinds)[number][1];

/** What is ticked. */
export type Ticks = Record<(typeof kinds)[number][0], boolean>;

export interface NotificationValues {
  email: Ticks;
  slack: Ticks;
  slack_secret: string;
}

/** Returns the ticks for a stored choice; anything that is none ticks nothing. */
export function valuesOf(stored: object): NotificationValues {
  const { email, slack, slack_secret: secret }: Record<string, unknown> = { ...stored };
  return { email: ticksOf(email), slack: ticksOf(slack), slack_secret: typeof secret === 'string' ? secret : '' };
}

function ticksOf(list: unknown): Ticks {
  const has = (kind: Kind) => Array.isArray(list) && list.includes(kind);
  return {
    needs_you: has('session.needs_you'),
    finished: has('session.finished'),
    failed: has('session.failed'),
    change_needs_you: has('change_request.needs_you'),
    change_ready: has('change_request.ready'),
    change_ended: has('change_request.ended'),
  };
}

/** Returns the choice to store. */
export function choiceOf({ email, slack, slack_secret: secret }: NotificationValues) {
  return { email: listOf(email), slack: listOf(slack), slack_secret: secret.trim() };
}

function listOf(ticks: Ticks): Kind[] {
  return kinds.flatMap(([name, kind]) => (ticks[name] ? [kind] : []));
}
