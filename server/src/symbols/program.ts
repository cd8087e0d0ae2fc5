// Finds the symbols of one file after another, in a program of its own, because a file of a repository may be made to take all
// of a parser's memory or time. Answers each message with one: the symbols, or null for a file that cannot be parsed.
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { openExtractor } from './extract.ts';
import { languages } from './languages.ts';

const File = Type.Object({
  language: Type.Union(languages.map((language) => Type.Literal(language))),
  source: Type.String(),
});

const extract = await openExtractor();
process.on('message', (file) => void answer(file));
process.on('disconnect', () => process.exit());
process.send?.('ready');

async function answer(file: unknown): Promise<void> {
  const { language, source } = Value.Parse(File, file);
  try {
    process.send?.(await extract(language, source));
  } catch {
    // After a trap of WebAssembly the parser's memory cannot be trusted.
    process.send?.(null, () => process.exit(1));
  }
}
