/** A file that was uploaded, to go with a session or a message. */
export interface AttachedFile {
  id: string;
  name: string;
  /** Bytes. */
  size: number;
}

/** A session or a message takes at most so many. */
export const mostFiles = 100;

/** Reads stored files; what has another shape is left out. */
export function readFiles(value: unknown): AttachedFile[] {
  return Array.isArray(value) ? value.flatMap(readFile) : [];
}

function readFile(value: unknown): AttachedFile[] {
  const { id, name, size }: Partial<Record<string, unknown>> = Object(value);
  return typeof id === 'string' && typeof name === 'string' && typeof size === 'number' ? [{ id, name, size }] : [];
}
