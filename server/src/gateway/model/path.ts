import type { ModelKind } from '../../lib/models.ts';

/** The API of a provider: Anthropic messages, OpenAI responses and chat completions, Google contents. */
export type WireFormat = 'messages' | 'responses' | 'chat' | 'contents';

/** A path that the gateway serves. */
export interface ModelPath {
  readonly format: WireFormat;
  /** Relative to the endpoint's URL, which includes the version. */
  readonly path: string;
  /** True for a path that only counts tokens, and so uses none. */
  readonly counts: boolean;
  /** The names of the output limit; the first is set when the request has none. */
  readonly limits: readonly string[];
  /** Set where the path, not the body, names the model. */
  readonly inPath?: { readonly name: string; readonly stream: boolean };
}

const chat = { format: 'chat', path: '/chat/completions', counts: false } as const;
const messages = { format: 'messages', limits: ['max_tokens'] } as const;

const paths: Record<Exclude<ModelKind, 'google'>, ReadonlyMap<string, ModelPath>> = {
  anthropic: new Map([
    ['/v1/messages', { ...messages, path: '/messages', counts: false }],
    ['/v1/messages/count_tokens', { ...messages, path: '/messages/count_tokens', counts: true }],
  ]),
  openai: new Map<string, ModelPath>([
    ['/v1/responses', { format: 'responses', path: '/responses', counts: false, limits: ['max_output_tokens'] }],
    // OpenAI's newer models reject `max_tokens`; other servers may support nothing else.
    ['/v1/chat/completions', { ...chat, limits: ['max_completion_tokens', 'max_tokens'] }],
  ]),
  openai_compatible: new Map([['/v1/chat/completions', { ...chat, limits: ['max_tokens', 'max_completion_tokens'] }]]),
};

/** Looks up a path of a kind of provider, e.g. `/v1/messages`; undefined when it is not served. */
export function matchModelPath(kind: ModelKind, path: string): ModelPath | undefined {
  if (kind !== 'google') return paths[kind].get(path);
  const match = /^\/v1beta(\/models\/([\w.-]{1,200}):(generateContent|streamGenerateContent))$/.exec(path);
  if (match === null) return undefined;
  const [, below = '', name = '', method] = match;
  const inPath = { name, stream: method === 'streamGenerateContent' };
  return { format: 'contents', path: below, counts: false, limits: ['maxOutputTokens', 'max_output_tokens'], inPath };
}
