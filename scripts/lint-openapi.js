// Holds client/openapi.json to the rules of Redocly (`recommended`) and Spectral (`spectral:oas`): no error, no warning.
// Their libraries, and not their commands: those report to their makers and look for updates. Neither reads the network.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import redocly from '@redocly/openapi-core';
import spectralCore from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';

const path = fileURLToPath(new URL('../client/openapi.json', import.meta.url));
const text = await readFile(path, 'utf8');
const problems = [...(await byRedocly()), ...(await bySpectral())];
for (const problem of problems) console.log(problem);
process.exitCode = problems.length === 0 ? 0 : 1;

async function byRedocly() {
  // Ids have prefixes, so that none is a fixed part of another path.
  const config = await redocly.createConfig({ extends: ['recommended'], rules: { 'no-ambiguous-paths': 'off' } });
  const found = (await redocly.lint({ ref: path, config })).filter((problem) => !isOfStream(problem));
  return found.map(({ ruleId, message, location: [place] }) => `redocly ${ruleId}: ${message} ${place?.pointer ?? ''}`);
}

/** Redocly does not see references in `x-item-schema`. */
function isOfStream({ ruleId, location: [place] }) {
  return ruleId === 'no-unused-components' && text.includes(`"$ref": "${place?.pointer}"`);
}

async function bySpectral() {
  const spectral = new spectralCore.Spectral();
  spectral.setRuleset({ extends: [rulesets.oas] });
  const found = await spectral.run(JSON.parse(text));
  return found.map(({ code, message, path: steps }) => `spectral ${code}: ${message} ${steps.join('.')}`);
}
