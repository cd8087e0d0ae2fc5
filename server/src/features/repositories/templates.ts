/** A project that comes with the platform, for a new repository, and a first session on it that needs no model. */
export interface Template {
  readonly description: string;
  /** A name for the repository. */
  readonly repo: string;
  /** Contents by path. */
  readonly files: Readonly<Record<string, string>>;
  /** The message of the first commit. */
  readonly message: string;
  readonly prompt: string;
  /** An agent of the runtime `script` that does what the prompt says. */
  readonly agent: { readonly name: string; readonly steps: readonly string[]; readonly summary: string };
}

export const templateNames = ['example'] as const;
export type TemplateName = (typeof templateNames)[number];

const greeting = `/** Greets somebody by name. */
exports.greet = (name) => 'Hello, ' + nmae;
`;

const test = `const { equal } = require('node:assert');
const { test } = require('node:test');
const { greet } = require('./greet.js');

test('greets by name', () => equal(greet('Ada'), 'Hello, Ada'));
`;

const readme = `# Greeting

A project of one function, for a first session. \`greet()\` has a defect, and \`npm test\` shows it.
`;

export const templates: Readonly<Record<TemplateName, Template>> = {
  example: {
    description: 'A project of one function with a defect, and a test that shows it. It needs Node and nothing else.',
    repo: 'example/greeting',
    files: {
      'README.md': readme,
      'greet.js': greeting,
      'greet.test.js': test,
      'package.json': '{\n  "name": "greeting",\n  "private": true,\n  "scripts": { "test": "node --test" }\n}\n',
    },
    message: 'Greet by name',
    prompt: "greet() throws a ReferenceError\n\ngreet('Ada') should return 'Hello, Ada'.",
    agent: {
      name: 'Fix greet()',
      steps: ['cat greet.js', 'sed -i s/nmae/name/ greet.js', 'git diff', 'npm test'],
      summary: 'greet() read a variable that does not exist. It now reads its argument.',
    },
  },
};
