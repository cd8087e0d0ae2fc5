import { audienceOf } from '../../../lib/keys.ts';

/** A form of credentials that the recommended rules of secretlint do not have. */
interface SecretRule {
  readonly id: string;
  /** Linear: no repetition inside of a repetition. */
  readonly form: RegExp;
  isReal?(text: string): boolean;
}

export const ownRules: readonly SecretRule[] = [
  { id: 'guildhall', form: /\bguild(?:mcp)?_[0-9a-f]{48}\b/g, isReal: (text) => audienceOf(text) !== undefined },
  { id: 'google-api-key', form: /\bAIza[0-9A-Za-z_-]{35}\b/g },
  { id: 'pypi', form: /\bpypi-AgEI[0-9A-Za-z_-]{50,1000}/g },
  { id: 'rubygems', form: /\brubygems_[0-9a-f]{48}\b/g },
  { id: 'crates-io', form: /\bcio[0-9A-Za-z]{32}\b/g },
  { id: 'digitalocean', form: /\bdo[opr]_v1_[0-9a-f]{64}\b/g },
  { id: 'doppler', form: /\bdp\.(?:pt|st|sa|ct)\.[0-9A-Za-z._-]{40,200}/g },
  { id: 'azure-storage', form: /AccountKey=[0-9A-Za-z+/]{86}==/g },
  { id: 'telegram', form: /\b\d{8,10}:AA[0-9A-Za-z_-]{33}\b/g },
  { id: 'discord-webhook', form: /discord(?:app)?\.com\/api\/webhooks\/\d{17,20}\/[0-9A-Za-z_-]{60,80}/g },
  { id: 'openrouter', form: /\bsk-or-v1-[0-9a-f]{64}\b/g },
  { id: 'xai', form: /\bxai-[0-9A-Za-z]{80}\b/g },
  { id: 'age', form: /\bAGE-SECRET-KEY-1[0-9A-Z]{58}\b/g },
  { id: 'pulumi', form: /\bpul-[0-9a-f]{40}\b/g },
  { id: 'sentry', form: /\bsntr(?:ys|yu)_[0-9A-Za-z+/=_-]{40,300}/g },
];
