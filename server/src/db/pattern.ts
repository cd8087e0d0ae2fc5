/** Returns the pattern of `like` and `ilike` for texts that contain another. */
export function containing(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}
