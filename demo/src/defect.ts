import { cpSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * A real defect in a real code base: minimist 1.2.5 as published, with its own tests, from this repository's lockfile.
 * `--_.concat.constructor.prototype.y` on a command line writes to `Function.prototype` (CVE-2021-44906).
 */
export const codeBase = { repo: 'substack/minimist', version: '1.2.5', cve: 'CVE-2021-44906' };

export const prompt = `Arguments can pollute Function.prototype (${codeBase.cve})

parse(['--_.concat.constructor.prototype.y', '123']) sets y on every function of the process: setKey guards __proto__
but walks through "constructor". Make setKey refuse it, without changing what ordinary arguments do.`;

/** The tests need tape and no other development dependency of the package. */
export const setupCommand =
  'npm install --prefix /tmp/tape --ignore-scripts tape@3.5.0 && mv /tmp/tape/node_modules node_modules';

/** Runs each file by itself: tape's own program may end before it has loaded the next one. */
const testCommand = 'for file in test/*.js; do node "$file" || exit 1; done';

/** The task of a model, whose own test proves the fix: it fails on the base commit and passes after the change. */
export const modelTask = {
  prompt: `${prompt}\n\nAdd test/constructor.js, a test of it with tape.`,
  verify_command: `node test/constructor.js && ${testCommand}`,
};

/** The tests of the fix in 1.2.6, in a separate file. */
const newTest = `var parse = require('../');
var test = require('tape');

test('proto pollution (constructor function)', function (t) {
    var argv = parse(['--_.concat.constructor.prototype.y', '123']);
    function fnToBeTested() {}
    t.equal(fnToBeTested.y, undefined);
    t.equal(argv.y, undefined);
    t.end();
});

// powered by snyk - https://github.com/backstage/backstage/issues/10343
test('proto pollution (constructor function) snyk', function (t) {
    var argv = parse('--_.constructor.constructor.prototype.foo bar'.split(' '));
    t.equal((function(){}).foo, undefined);
    t.equal(argv.y, undefined);
    t.end();
});
`;

/** The fix of 1.2.6 by its author. */
const fix = `--- a/index.js
+++ b/index.js
@@ -70,7 +70,7 @@
         var o = obj;
         for (var i = 0; i < keys.length-1; i++) {
             var key = keys[i];
-            if (key === '__proto__') return;
+            if (isConstructorOrProto(o, key)) return;
             if (o[key] === undefined) o[key] = {};
             if (o[key] === Object.prototype || o[key] === Number.prototype
                 || o[key] === String.prototype) o[key] = {};
@@ -79,7 +79,7 @@
         }
 
         var key = keys[keys.length - 1];
-        if (key === '__proto__') return;
+        if (isConstructorOrProto(o, key)) return;
         if (o === Object.prototype || o === Number.prototype
             || o === String.prototype) o = {};
         if (o === Array.prototype) o = [];
@@ -243,3 +243,7 @@
     return /^[-+]?(?:\\d+(?:\\.\\d*)?|\\.\\d+)(e[-+]?\\d+)?$/.test(x);
 }
 
+
+function isConstructorOrProto (obj, key) {
+    return key === 'constructor' && typeof obj[key] === 'function' || key === '__proto__';
+}
`;

/** The script of the `script` agent: inspects the defect, applies the fix, runs every test. Uses no model. */
export const agentConfig = {
  steps: [
    {
      run: `node -e "require('./index.js')(['--_.concat.constructor.prototype.y', '123']); console.log('y on a new function:', (function () {}).y)"`,
    },
    { run: `git apply --verbose - <<'PATCH'\n${fix}PATCH` },
    { run: testCommand },
  ],
  summary: 'setKey now refuses to walk through a constructor function, as it refused __proto__ before.',
  check: { command: testCommand, files: [{ path: 'test/constructor.js', content: newTest }] },
};

/** Copies the published package into a directory for git; returns its path. */
export function unpackCodeBase(): string {
  const require = createRequire(import.meta.url);
  const source = dirname(realpathSync(require.resolve('minimist-with-cve-2021-44906/package.json')));
  const target = mkdtempSync(join(tmpdir(), 'guildhall-code-base-'));
  cpSync(source, target, { recursive: true, filter: (path) => !path.includes('node_modules', source.length) });
  // npm does not publish .gitignore.
  writeFileSync(join(target, '.gitignore'), 'node_modules/\n');
  const { version } = JSON.parse(readFileSync(join(target, 'package.json'), 'utf8'));
  if (version !== codeBase.version)
    throw new Error(`minimist ${String(version)} is installed, not ${codeBase.version}.`);
  return target;
}
