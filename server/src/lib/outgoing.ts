/** A POST request to a receiver that a user of the platform chose. */
export interface OutgoingPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
  /** True if it contains a credential: without TLS it is sent to addresses only that are not public. */
  readonly isConfidential?: boolean;
}

/** The response of a receiver. `body` is its start, at most 4 KiB. */
export interface OutgoingAnswer {
  readonly status: number;
  readonly body: string;
}

/**
 * Sends one request, within 20 s. Connects to public addresses only, unless the operator allows others, and follows no
 * redirects. Throws `ProviderError` if no response came; its message names host and port only.
 */
export type SendOutgoing = (request: OutgoingPost) => Promise<OutgoingAnswer>;
