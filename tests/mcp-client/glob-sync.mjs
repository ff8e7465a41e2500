// Node 20 has no fs.globSync, which the conformance suite imports, though not for what a client
// does: node --import ./glob-sync.mjs supplies it.
import fs from 'node:fs';
import { register } from 'node:module';

if (fs.globSync === undefined) {
    register('./hooks.mjs', import.meta.url);
}
