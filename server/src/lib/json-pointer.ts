/** Returns a key as a segment of a JSON pointer (RFC 6901), with the slash before it. */
export function pointerStep(key: string): string {
  return `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** Returns the segments of a JSON pointer. */
export function stepsOf(path: string): string[] {
  const [, ...steps] = path.split('/');
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}
