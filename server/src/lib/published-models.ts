import { calcPrice, findProvider } from '@pydantic/genai-prices';
import type { ModelKind, ModelPrice } from './models.ts';

/** The facts about a vendor's model in the installed price list. */
export interface PublishedModel {
  /** In US dollars per million tokens, for a short prompt; undefined if the list has no price of its tokens. */
  readonly price: ModelPrice | undefined;
  readonly contextTokens: number | undefined;
}

/** An agent needs a context for files and their history. */
const leastContextTokens = 100_000;
/** The list also has models that make or transcribe images and sound, or only search. */
const forOtherTasks = /image|audio|realtime|live|tts|transcribe|search|research|embedding|safeguard|computer-use|ft:/;

/** Returns the published facts about a model; undefined for a model or a kind of provider that the list lacks. */
export function publishedModel(kind: ModelKind, name: string): PublishedModel | undefined {
  if (kind === 'openai_compatible') return undefined;
  const priced = (usage: Record<string, number>) => calcPrice(usage, name, { providerId: kind });
  const input = priced({ input_tokens: 1 });
  if (input === null) return undefined;
  const contextTokens = input.model.context_window;
  const output = priced({ output_tokens: 1 })?.output_price ?? 0;
  const cached = priced({ input_tokens: 1, cache_read_tokens: 1 })?.input_price ?? input.input_price;
  const hasPrice = input.input_price > 0 && output > 0;
  const price = { input: perMillion(input.input_price), output: perMillion(output), cached_input: perMillion(cached) };
  return { price: hasPrice ? price : undefined, contextTokens };
}

const names = new Map<ModelKind, readonly string[]>();

/** Lists the names of a vendor's models that an agent can work with, as far as the installed price list knows them. */
export function publishedModelNames(kind: ModelKind): readonly string[] {
  const known = names.get(kind);
  if (known !== undefined) return known;
  const models = kind === 'openai_compatible' ? [] : (findProvider({ providerId: kind })?.models ?? []);
  const found = models
    .filter(({ id, deprecated }) => deprecated !== true && !forOtherTasks.test(id) && isOwn(kind, id))
    .filter(({ id, context_window: context }) => {
      const { price } = publishedModel(kind, id) ?? {};
      if (price === undefined) return false;
      return context === undefined ? price.cached_input !== price.input : context >= leastContextTokens;
    })
    .map(({ id }) => id)
    .toSorted();
  names.set(kind, found);
  return found;
}

/** Google's list also has other vendors' models, which its own endpoint does not serve. */
function isOwn(kind: ModelKind, name: string): boolean {
  return kind !== 'google' || /^(gemini|gemma)-/.test(name);
}

function perMillion(dollars: number): number {
  return Number((dollars * 1e6).toFixed(6));
}
