const kinds = ['session.needs_you', 'session.finished', 'session.failed'] as const;
type Kind = (typeof kinds)[number];

/** What is ticked, by the last part of each kind. */
export type Ticks = Record<'needs_you' | 'finished' | 'failed', boolean>;

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
  return { needs_you: has('session.needs_you'), finished: has('session.finished'), failed: has('session.failed') };
}

/** Returns the choice to store. */
export function choiceOf({ email, slack, slack_secret: secret }: NotificationValues) {
  return { email: listOf(email), slack: listOf(slack), slack_secret: secret.trim() };
}

function listOf(ticks: Ticks): Kind[] {
  return kinds.filter((kind) =>
    kind === 'session.needs_you' ? ticks.needs_you : kind === 'session.finished' ? ticks.finished : ticks.failed,
  );
}
