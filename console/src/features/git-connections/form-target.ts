/** The public GitHub. */
export const publicGithub = 'github.com';

/** Returns the origin of a git host, given as a host name or URL; undefined if the server would not allow it either. */
export function originOf(host: string): string | undefined {
  const text = host.trim() === '' ? publicGithub : host.trim();
  const origin = URL.parse(text.includes('://') ? text : `https://${text}`)?.origin;
  const isPlain = /^https?:\/\/(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d+)?$/.test(origin ?? '');
  return isPlain ? origin : undefined;
}

/** Returns the git host to which the policy of this document lets forms go; '' for none. */
export function formTarget(): string {
  return document.querySelector('meta[name=form-target]')?.getAttribute('content') ?? '';
}

/** Sends a form to another page, and this tab with it. */
export function sendForm(action: string, fields: Readonly<Record<string, string>>): void {
  const form = document.createElement('form');
  form.method = 'post';
  form.action = action;
  form.hidden = true;
  for (const [name, value] of Object.entries(fields)) {
    const input = document.createElement('input');
    input.name = name;
    input.value = value;
    form.append(input);
  }
  document.body.append(form);
  form.submit();
}
