export type Send = (request: Request) => Promise<Response>;

/** The limits of a call, whatever the server does. */
export interface Bounds {
  timeoutMs: number;
  maxBytes: number;
}

/** Returns true if the server took too long. */
export function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError';
}

/**
 * Sends a request, or a copy of it, whose response must begin in time. Requests that change something do not follow
 * redirects, which would turn them into a GET or send the body to another origin.
 */
export async function sendWithin(
  send: Send,
  request: Request,
  { copy, timeoutMs }: { copy: Request; timeoutMs: number },
): Promise<Response> {
  const given = new AbortController();
  const redirect = request.method === 'GET' ? request.redirect : 'manual';
  const signal = AbortSignal.any([request.signal, given.signal]);
  const sent = send(new Request(copy, { redirect, signal }));
  try {
    return await within(sent, request, timeoutMs);
  } catch (error) {
    given.abort(error);
    void sent.then((late) => late.body?.cancel()).catch(() => undefined);
    throw error;
  }
}

/** Reads a response with its whole body, within the time and size limits. */
export async function readWhole(response: Response, request: Request, bounds: Bounds): Promise<Response> {
  if (response.body === null) return response;
  const { status, statusText, headers } = response;
  const reader = response.body.getReader();
  try {
    const content = await within(readAll(reader, bounds.maxBytes), request, bounds.timeoutMs);
    return new Response(content.byteLength === 0 ? null : content, { status, statusText, headers });
  } catch (error) {
    void reader.cancel(error).catch(() => undefined);
    throw error;
  }
}

async function readAll(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  // One growing buffer: millions of tiny parts would take far more memory than their bytes.
  let buffer = new Uint8Array(16_384);
  let used = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const needed = used + part.value.byteLength;
    if (needed > maxBytes)
      throw new Error(
        `The response is larger than ${maxBytes} bytes, the limit maxBytes. Read it with parseAs: 'stream'.`,
      );
    if (needed > buffer.byteLength) {
      const larger = new Uint8Array(Math.min(maxBytes, Math.max(needed, buffer.byteLength * 2)));
      larger.set(buffer.subarray(0, used));
      buffer = larger;
    }
    buffer.set(part.value, used);
    used = needed;
  }
  return buffer.subarray(0, used);
}

/**
 * Rejects as soon as the request is aborted or times out. Keeps a reference to the request, because the signal of a
 * garbage-collected request, or of its copy, is not aborted.
 */
export async function within<T>(work: Promise<T>, request: Request, timeoutMs: number): Promise<T> {
  let release = (): void => undefined;
  const over = new Promise<never>((_resolve, reject) => {
    const abort = (): void => reject(request.signal.reason);
    const giveUp = (): void =>
      reject(new DOMException(`The server did not respond completely within ${timeoutMs / 1_000} s.`, 'TimeoutError'));
    const timer = setTimeout(giveUp, Math.min(timeoutMs, 2 ** 31 - 1));
    request.signal.addEventListener('abort', abort);
    if (request.signal.aborted) abort();
    release = () => {
      clearTimeout(timer);
      request.signal.removeEventListener('abort', abort);
    };
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    release();
  }
}
