import { createHash } from 'node:crypto';
import { lintSource } from '@secretlint/core';
import { creator } from '@secretlint/secretlint-rule-preset-recommend';
import { baseName } from './command-pattern.ts';
import { ownRules } from './secret-rules.ts';

/** A place in a text that looks like a secret. */
export interface SecretPlace {
  /** The form, e.g. `github`. */
  rule: string;
  /** From 1. */
  line: number;
  /** Identifies the value, to tell if a text had it before. */
  digest: string;
}

const preset = '@secretlint/secretlint-rule-preset-recommend';
const config = { rules: [{ id: preset, rule: creator }] };
/** A text could switch the scan off by such comments. */
const directives = /secretlint-(?=disable|enable)/g;

/** Finds secrets by their form. May take long for a hostile text: run it with a deadline. */
export async function findSecrets(path: string, text: string): Promise<SecretPlace[]> {
  const content = text.replaceAll(directives, 'secretlint_');
  const filePath = baseName(path) || 'file';
  const ext = filePath.includes('.') ? filePath.slice(filePath.lastIndexOf('.')) : '';
  const { messages } = await lintSource({
    source: { content, filePath, ext, contentType: 'text' },
    options: { config, noPhysicFilePath: true, maskSecrets: true },
  });
  const found = messages.map(({ ruleId, range: [from, to] }) => ({ rule: shortName(ruleId), from, to }));
  for (const { id, form, isReal = () => true } of ownRules)
    for (const match of content.matchAll(form))
      if (isReal(match[0])) found.push({ rule: id, from: match.index, to: match.index + match[0].length });
  return placesOf(text, found);
}

function placesOf(text: string, found: readonly { rule: string; from: number; to: number }[]): SecretPlace[] {
  let line = 1;
  let counted = 0;
  const places: SecretPlace[] = [];
  for (const { rule, from, to } of found.toSorted((one, other) => one.from - other.from)) {
    for (let at = text.indexOf('\n', counted); at >= 0 && at < from; at = text.indexOf('\n', at + 1)) line += 1;
    counted = Math.max(counted, from);
    places.push({ rule, line, digest: createHash('sha256').update(text.slice(from, to)).digest('base64url') });
  }
  return places;
}

function shortName(ruleId: string): string {
  return ruleId.replace('@secretlint/secretlint-rule-', '');
}
