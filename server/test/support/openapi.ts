/** A failure is a reference to the response that all operations share. */
export function responseOf(document: Record<string, unknown>, response: unknown): object {
  const name: unknown = Object(response).$ref;
  if (typeof name !== 'string') return Object(response);
  return Object(Object(Object(document['components']).responses)[name.split('/').at(-1) ?? '']);
}
