/** A mail to one recipient, as text and as equivalent HTML. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** Message id without angle brackets, by which a repetition is recognized. */
  id: string;
}

/** Sends mail. */
export interface Mailer {
  /** Resolves when the server accepted the mail. Throws `ProviderError`: `retryable` unless it was refused permanently. */
  send(mail: Mail, signal: AbortSignal): Promise<void>;
}
