/** One mail to one person, as text and as HTML that says the same. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** Names the mail, so that a repetition of it is known as one: an id without angle brackets. */
  id: string;
}

/** Hands mail to whoever delivers it. */
export interface Mailer {
  /** Resolves when the mail was taken over. Throws `ProviderError`: `retryable` unless it was refused for good. */
  send(mail: Mail, signal: AbortSignal): Promise<void>;
}
