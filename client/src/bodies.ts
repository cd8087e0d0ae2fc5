/** Serializes the body of a request: as a form if a field holds files, else as JSON. */
export function serialized(body: unknown): FormData | string {
  if (body instanceof FormData) return body;
  const fields = Object.entries(Object(body)).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one: unknown): [string, unknown] => [name, one]),
  );
  if (!fields.some(([, value]) => value instanceof Blob)) return JSON.stringify(body);
  const form = new FormData();
  for (const [name, value] of fields) {
    if (value instanceof Blob) form.append(name, value);
    else if (value !== undefined) form.append(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  return form;
}
