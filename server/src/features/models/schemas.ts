import { Type } from 'typebox';
import { explain, named, NullableInteger, OneOf } from '../../http/schema.ts';

const Price = Type.Object({
  input_per_mtok: Type.Number(),
  output_per_mtok: Type.Number(),
  cached_input_per_mtok: Type.Number(),
  source: OneOf(['organization', 'operator', 'published']),
});

const Model = named(
  'Model',
  Type.Object({
    id: Type.String(),
    provider: Type.String(),
    name: Type.String(),
    allowed: Type.Boolean(),
    allowed_for_caller: Type.Boolean(),
    pro_only: Type.Boolean(),
    is_default: Type.Boolean(),
    price: Type.Union([Price, Type.Null()]),
    context_tokens: NullableInteger,
  }),
);

export const Models = named('Models', Type.Object({ items: Type.Array(Model) }));

explain('Models', { items: 'The default first, then the models that the settings name, then published ones.' });
explain('Model', {
  id: '`<provider>/<name>`, which `model` of a session or an agent accepts.',
  provider: "The provider's name.",
  name: "The model's name at the provider.",
  allowed: 'True if the settings `models` allow it.',
  allowed_for_caller: 'True if you can start a session with it: it is allowed, and your role suffices.',
  pro_only: 'True if it requires the role `pro`.',
  is_default: 'True for the model of a session if neither the session nor its agent names one.',
  price: 'In US dollars per million tokens; null if it is unknown, and its calls count as free.',
  'price.input_per_mtok': 'Price of input, for a short prompt where the price depends on the length.',
  'price.output_per_mtok': 'Price of output.',
  'price.cached_input_per_mtok': 'Price of input that the provider reads from its cache.',
  'price.source': "The organization's settings, the operator's configuration, or the vendor's published prices.",
  context_tokens: 'Size of its context window in tokens; null if it is unknown.',
});
