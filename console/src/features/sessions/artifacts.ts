/** The address of a file that a session stored; the cookie opens it. */
export function artifactUrl(org: string, session: string, artifact: string): string {
  const parts = ['v3', 'organizations', org, 'sessions', session, 'artifacts', artifact];
  return `/${parts.map(encodeURIComponent).join('/')}`;
}

const images = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/svg+xml']);

/** Returns true for pictures that a browser shows; an SVG as a picture runs nothing. */
export function isImage(contentType: string): boolean {
  return images.has(contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '');
}

/** Returns a size for a reader: `214 kB`. */
export function bytes(size: number): string {
  const units = ['B', 'kB', 'MB', 'GB'];
  const step = Math.min(units.length - 1, size < 1 ? 0 : Math.floor(Math.log10(size) / 3));
  const value = size / 1_000 ** step;
  return `${step === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[step] ?? ''}`;
}
