// Makes the pages of one wiki, in a program of its own, because a repository may be made to take all memory or time. Collects
// the parts of the material, and answers the last one with the pages.
import { Value } from 'typebox/value';
import { buildWiki } from './build.ts';
import { Part, type Material } from './material.ts';

const material: Material = { repo: '', files: [], symbols: [], facts: [], documents: [], commits: [] };

process.on('message', (message) => {
  const { files = [], symbols = [], facts = [], documents = [], commits = [], build } = Value.Parse(Part, message);
  for (const one of files) material.files.push(one);
  for (const one of symbols) material.symbols.push(one);
  for (const one of facts) material.facts.push(one);
  for (const one of documents) material.documents.push(one);
  for (const one of commits) material.commits.push(one);
  process.send?.(build === undefined ? 'more' : buildWiki({ ...material, repo: build.repo }));
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
