/** Headers of a request that the server in a sandbox gets, besides those of the page itself. */
export const passedOn: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'content-encoding',
  'content-language',
  'content-length',
  'content-type',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'last-event-id',
  'pragma',
  'range',
  'user-agent',
]);

/** Headers of its response that the caller gets. */
export const passedBack: readonly string[] = [
  'accept-ranges',
  'allow',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-length',
  'content-range',
  'content-type',
  'date',
  'etag',
  'last-modified',
  'link',
  'refresh',
  'retry-after',
  'server-timing',
  'vary',
];

/** Those that a page may read. */
export const exposedHeaders = passedBack.join(', ');
