/** A reply to a finding, as far as the platform understands it without a model. */
export type ReplyKind = 'dismissal' | 'fixed' | 'question' | 'other';

const maxRead = 4_000;
const dismissal =
  /\b(?:won['’]?t[ -]?fix|by design|as designed|as intended|intended behaviou?r|intentional(?:ly)?|on purpose|false[ -]positive|not an? (?:bug|problem|issue|defect)|not applicable|please ignore)\b/i;
const fixed = /\b(?:fixed|done|resolved|addressed|corrected)\b/i;
const negated =
  /\b(?:not|never|isn['’]?t|wasn['’]?t|hardly)\s+(?:(?:yet|really|quite|at all)\s+)?(?:by design|as designed|as intended|intended|intentional|on purpose|false|fixed|done|resolved|addressed|corrected)/i;

/** Reads what a person replied to a finding. Quotes and code are not what they say; a question decides nothing. */
export function readReply(body: string): ReplyKind {
  const said = body
    .slice(0, maxRead)
    .replaceAll(/```[^`]*(?:```|$)/g, ' ')
    .replaceAll(/`[^`\n]*`/g, ' ')
    .split('\n')
    .filter((line) => !line.trimStart().startsWith('>'))
    .join('\n');
  const sentences = said.split(/(?<=[.!?])\s|\n/);
  const statements = sentences.filter((sentence) => !sentence.trimEnd().endsWith('?') && !negated.test(sentence));
  if (statements.some((sentence) => dismissal.test(sentence))) return 'dismissal';
  if (statements.some((sentence) => fixed.test(sentence))) return 'fixed';
  return sentences.some((sentence) => sentence.trimEnd().endsWith('?')) ? 'question' : 'other';
}
