import { ApiError } from '../../../../lib/api.ts';

/** Asks for a preview, so that what is wrong is said here and not in a new tab. Throws {@link ApiError}. */
export async function tryPreview(address: string, signal: AbortSignal): Promise<void> {
  const response = await fetch(address, { signal, headers: { accept: 'text/html' } });
  // Every answer of the server itself is isolated, whatever its status.
  if (response.ok || response.headers.get('content-security-policy')?.startsWith('sandbox') === true) {
    await response.body?.cancel();
    return;
  }
  const body: unknown = await response.json().catch(() => undefined);
  throw new ApiError(response, body);
}
