/** Who serves models: each by one wire format, configured by the operator. */
export const modelProviders = ['anthropic', 'openai', 'google', 'openai-compatible'] as const;
export type ModelProviderId = (typeof modelProviders)[number];

/** A model as people name it: `<provider>/<name>`; the name may contain slashes. */
export interface ModelName {
  provider: ModelProviderId;
  name: string;
}

/** Reads `<provider>/<name>`; undefined when it is not of this form. */
export function parseModelName(text: string): ModelName | undefined {
  const [id = '', name = ''] = text.split(/\/(.*)/s);
  const provider = modelProviders.find((candidate) => candidate === id);
  return provider === undefined || name === '' ? undefined : { provider, name };
}
