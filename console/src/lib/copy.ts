import { toast } from '../ui/toasts.ts';

/** Copies a text and says so. Without TLS a browser has no clipboard for pages, so an old way is tried then. */
export async function copyText(text: string, said = 'Copied'): Promise<void> {
  try {
    if (isSecureContext) await navigator.clipboard.writeText(text);
    else if (!copyOldWay(text)) throw new Error('refused');
    toast(said);
  } catch {
    toast('The browser does not allow to copy here.', 'bad');
  }
}

function copyOldWay(text: string): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'fixed opacity-0';
  document.body.append(field);
  field.select();
  try {
    return document.execCommand('copy');
  } finally {
    field.remove();
  }
}
