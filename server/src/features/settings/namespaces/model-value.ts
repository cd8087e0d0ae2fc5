import { Type, type Static } from 'typebox';
import { OneOf, Text } from '../../../http/schema.ts';
import { modelKinds } from '../../../lib/models.ts';
import { defaultFrom, Item, SecretKey, Texts, Value, Word } from './fields.ts';

const dollars = { minimum: 0, maximum: 1_000_000 };
const Price = Item({
  input_per_mtok: Type.Number(dollars),
  output_per_mtok: Type.Number(dollars),
  cached_input_per_mtok: Type.Number({ ...dollars, [defaultFrom]: 'input_per_mtok' }),
});

const Provider = Item({
  name: Text(40, {
    minLength: 1,
    pattern: '^[a-z0-9][a-z0-9_-]*$',
    description: 'The part before the slash in `<provider>/<model>`.',
  }),
  kind: OneOf(modelKinds),
  base_url: Word(500, "http or https, without credentials. '' is the provider's default URL."),
  secret: SecretKey("The organization secret that holds the provider's key."),
});

export type OwnProvider = Static<typeof Provider>;

export const ModelsValue = Value({
  providers: Type.Array(Provider, {
    maxItems: 20,
    default: [],
    description: "The organization's own providers; the operator's are available too.",
  }),
  default: Word(
    200,
    "The model of a session if neither the session nor its agent names one. '' is the operator's default.",
  ),
  allowed: Texts(
    500,
    200,
    'The models that may be used: `<provider>/<model>`; `*` matches any characters. [] allows every model.',
  ),
  pro_only: Texts(
    500,
    200,
    'Models that members with the role `regular` cannot use for sessions, in the form of `allowed`.',
  ),
  prices: Type.Unsafe<Record<string, Static<typeof Price>>>({
    type: 'object',
    maxProperties: 500,
    propertyNames: { type: 'string', minLength: 1, maxLength: 200 },
    additionalProperties: Price,
    default: {},
    description: 'In US dollars per million tokens, by model.',
  }),
});

export type ModelSettings = Static<typeof ModelsValue>;
