import type { ModelKind } from '../../lib/models.ts';

/** How a provider's models are asked: Anthropic's messages, OpenAI's responses and chat completions, Google's contents. */
export type WireFormat = 'messages' | 'responses' | 'chat' | 'contents';

/** One of the paths that are served. */
export interface ModelPath {
  readonly format: WireFormat;
  /** Below the endpoint's URL, which has the version. */
  readonly path: string;
  /** Counts tokens only, and so uses none. */
  readonly counts: boolean;
  /** What the most that may be answered is called; the first is written where none is given. */
  readonly limits: readonly string[];
  /** Where the path says it and not the body. */
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
    // OpenAI's newer models refuse `max_tokens`; other servers may know nothing else.
    ['/v1/chat/completions', { ...chat, limits: ['max_completion_tokens', 'max_tokens'] }],
  ]),
  openai_compatible: new Map([['/v1/chat/completions', { ...chat, limits: ['max_tokens', 'max_completion_tokens'] }]]),
};

/** Finds what a path of a kind of provider, e.g. `/v1/messages`, is; undefined when it is not served. */
export function matchModelPath(kind: ModelKind, path: string): ModelPath | undefined {
  if (kind !== 'google') return paths[kind].get(path);
  const match = /^\/v1beta(\/models\/([\w.-]{1,200}):(generateContent|streamGenerateContent))$/.exec(path);
  if (match === null) return undefined;
  const [, below = '', name = '', method] = match;
  const inPath = { name, stream: method === 'streamGenerateContent' };
  return { format: 'contents', path: below, counts: false, limits: ['maxOutputTokens', 'max_output_tokens'], inPath };
}
