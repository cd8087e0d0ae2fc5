import type { Schemas } from '../../../lib/api.ts';

type Model = Pick<Schemas['Model'], 'name' | 'allowed' | 'allowed_for_caller' | 'pro_only' | 'is_default'>;

/** Returns the words of a model in a menu; one that cannot be chosen says why. */
export function optionOf({ name, allowed, allowed_for_caller: isOpen, pro_only: isPro, is_default: isDefault }: Model) {
  const notes = [
    isDefault && 'the default',
    !allowed && 'not allowed in this organization',
    allowed && isPro && (isOpen ? 'pro' : 'needs the role pro'),
    allowed && !isPro && !isOpen && 'not open to you',
  ].filter((note) => note !== false);
  return { text: notes.length === 0 ? name : `${name} — ${notes.join(', ')}`, isOpen };
}
