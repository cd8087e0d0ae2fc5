import { Type, type Static } from 'typebox';
import { OneOf, Text } from '../../../http/schema.ts';
import { modelKinds, type ModelKind } from '../../../lib/models.ts';
import { defaultFrom, Item, SecretKey, Texts, titled, Value, Word } from './fields.ts';

const dollars = { minimum: 0, maximum: 1_000_000 };
const unit = { unit: '$ per Mtok' };
const Price = Item({
  input_per_mtok: titled('Input', Type.Number(dollars), unit),
  output_per_mtok: titled('Output', Type.Number(dollars), unit),
  cached_input_per_mtok: titled('Cached input', Type.Number({ ...dollars, [defaultFrom]: 'input_per_mtok' }), unit),
});

const kindTexts: Record<ModelKind, string> = {
  anthropic: "Anthropic's API.",
  openai: "OpenAI's API.",
  google: "Google's Gemini API.",
  openai_compatible: "Any server with OpenAI's chat completions API; needs a URL.",
};
const Provider = Item({
  name: titled(
    'Name',
    Text(40, {
      minLength: 1,
      pattern: '^[a-z0-9][a-z0-9_-]*$',
      description: 'The part before the slash in `<provider>/<model>`.',
    }),
  ),
  kind: titled('Kind', OneOf(modelKinds), { texts: kindTexts }),
  base_url: titled('URL', Word(500, "http or https, without credentials. '' is the provider's default URL.")),
  secret: titled('Secret', SecretKey("The organization secret that holds the provider's key."), { picker: 'secret' }),
});

export type OwnProvider = Static<typeof Provider>;

const use = 'Use';

export const ModelsValue = Value({
  providers: titled(
    'Providers',
    Type.Array(Provider, {
      maxItems: 20,
      default: [],
      description: "The organization's own providers; the operator's are available too.",
    }),
  ),
  default: titled(
    'Default model',
    Word(200, "The model of a session if neither the session nor its agent names one. '' is the operator's default."),
    { picker: 'model', group: use },
  ),
  allowed: titled(
    'Allowed models',
    Texts(
      500,
      200,
      'The models that may be used: `<provider>/<model>`; `*` matches any characters. [] allows every model.',
    ),
    { picker: 'model', group: use },
  ),
  pro_only: titled(
    'Only for the role pro',
    Texts(
      500,
      200,
      'Models that members with the role `regular` cannot use for sessions, written like the allowed models.',
    ),
    { picker: 'model', group: use },
  ),
  prices: titled(
    'Prices',
    Type.Unsafe<Record<string, Static<typeof Price>>>({
      type: 'object',
      maxProperties: 500,
      propertyNames: { type: 'string', minLength: 1, maxLength: 200, title: 'Model', 'x-picker': 'model' },
      additionalProperties: Price,
      default: {},
      description: 'In US dollars per million tokens, by model.',
    }),
    { group: 'Cost' },
  ),
});

export type ModelSettings = Static<typeof ModelsValue>;
