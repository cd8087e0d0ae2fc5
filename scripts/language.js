import ts from 'typescript';

const sayWhatItIs = 'say what a thing is, or what it must be';
const useTheFieldsWords = "use the field's words: see docs/glossary.md";

/** Phrases that messages and documents must not contain, each with its rule. */
const phrases = [
  [/\b(?<!\bthere )(?:is|are|was|were) (?:no|none)\b(?! longer| more than)/i, sayWhatItIs],
  [/\bwhat is (?:no|not)\b/i, sayWhatItIs],
  [/\band has them\b/i, 'say what the limit is: "can have at most 100 …"'],
  [/\b(?:be|is|are) (?:to be )?had\b/i, 'write "is unavailable" or "is missing"'],
  [/\b(?:is|are) to be\b/i, 'write "must be"'],
  [/\bwhoever\b(?! they)/i, 'name the actor'],
  [/\bunless told\b/i, 'write "by default"'],
  [/\bfor good\b/i, 'write "permanently"'],
  [/\ball the same\b/i, 'write "anyway" or "still"'],
  [/\bon our side\b/i, 'write "internal error"'],
  [/\blooked at\b/i, 'write "checked" or "read"'],
  [/\bat hand\b|\bwithin reach\b/i, useTheFieldsWords],
];
/** Former terms. Some of them are names of columns, so messages in code may contain them. */
const formerTerms = [/\b(?:doors?|tool servers?|audit trails?|forges?|clean rooms?)\b/i, useTheFieldsWords];

const opening = /^(?:What|How|Whether|Where|Why|Who|Whose|Whoever|Whatever|So (?:many|much|long))\b/;

/** Returns the forbidden phrases in the messages and docstrings of a file: `{file, line, phrase, rule}`. */
export function problemsIn(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const problemAt = (position, phrase, rule) => ({
    file,
    line: source.getLineAndCharacterOfPosition(position).line + 1,
    phrase,
    rule,
  });
  const found = docstringsIn(source).flatMap(({ start, words }) => {
    const [phrase] = opening.exec(words) ?? [];
    const rule = 'open a docstring with a noun, or with a verb in the third person';
    return phrase === undefined ? [] : [problemAt(start, phrase, rule)];
  });
  if (isTest(file)) return found;
  for (const node of messagesIn(source))
    for (const [pattern, rule] of phrases) {
      const [phrase] = pattern.exec(node.text) ?? [];
      if (phrase !== undefined) found.push(problemAt(node.getStart(), phrase, rule));
    }
  return found;
}

/** Returns the forbidden phrases in a Markdown document, except in code and quotations. */
export function problemsInDocument(file, text) {
  const prose = text
    .replaceAll(/^```.*?^```|`[^`]*`|"[^"\n]*"/gms, (code) => code.replaceAll(/[^\n]/g, '_'))
    .replaceAll('\n', ' ');
  return [...phrases, formerTerms].flatMap(([pattern, rule]) =>
    [...prose.matchAll(new RegExp(pattern, 'gi'))].map(({ 0: phrase, index }) => {
      const line = text.slice(0, index).split('\n').length;
      return { file, line, phrase, rule };
    }),
  );
}

/** Returns true for tests, whose literals are titles and samples rather than messages. */
function isTest(file) {
  return /\.test\.ts$|^server\/test\/|fixture|contract/.test(file);
}

/** Returns the docstrings of a file, each without its first asterisks. */
function docstringsIn(source) {
  const found = new Map();
  const visit = (node) => {
    for (const { pos, end } of ts.getLeadingCommentRanges(source.text, node.getFullStart()) ?? [])
      if (source.text.startsWith('/**', pos)) found.set(pos, source.text.slice(pos + 3, end).replace(/^[\s*]+/, ''));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...found].map(([start, words]) => ({ start, words }));
}

/** Returns the string and template literals with a space, except for imports and SQL. */
function messagesIn(node) {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return [];
  if (ts.isTaggedTemplateExpression(node) && /^sql\b/.test(node.tag.getText())) return [];
  const isText =
    ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddle(node) || ts.isTemplateTail(node);
  if (isText) return node.text.includes(' ') ? [node] : [];
  const messages = [];
  ts.forEachChild(node, (child) => void messages.push(...messagesIn(child)));
  return messages;
}
