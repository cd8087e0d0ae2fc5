/** More than this is not drawn again by a terminal. */
const longest = 4_000_000;

/**
 * Lets a terminal in a worker draw an output that moves its cursor, and tells the lines that it shows at the end.
 * Returns a function that ends it.
 */
export function screenLines(text: string, done: (lines: string[]) => void): () => void {
  if (text.length > longest) return () => undefined;
  const worker = new Worker(new URL('screen-worker.ts', import.meta.url), { type: 'module' });
  worker.onmessage = ({ data }: MessageEvent<unknown>) => {
    if (data === 'ready') worker.postMessage(text);
    else if (Array.isArray(data)) done(data.map(String));
  };
  return () => worker.terminate();
}
