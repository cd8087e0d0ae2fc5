import { expect, test } from 'vitest';
import { optionOf } from './model-option.ts';

const model = { name: 'm', allowed: true, allowed_for_caller: true, pro_only: false, is_default: false };

test('a model that cannot be chosen says why', () => {
  expect(optionOf(model)).toEqual({ text: 'm', isOpen: true });
  expect(optionOf({ ...model, is_default: true }).text).toBe('m — the default');
  expect(optionOf({ ...model, pro_only: true, allowed_for_caller: false })).toEqual({
    text: 'm — needs the role pro',
    isOpen: false,
  });
  expect(optionOf({ ...model, allowed: false, allowed_for_caller: false, pro_only: true }).text).toBe(
    'm — not allowed in this organization',
  );
});
