import { defineNamespace } from './define.ts';
import { Value } from './fields.ts';

/** Has no settings yet. */
export const reviews = defineNamespace({ title: 'Reviews', value: Value({}), enforced: false, example: {} });
