// The conformance suite imports fs.globSync, which Node 20 doesn't have; nothing that we run calls it.
import fs from "node:fs";
import { register } from "node:module";

if (fs.globSync === undefined) {
  const source = 'export * from "node:fs"; export { default } from "node:fs"; export const globSync = () => [];';
  const url = `data:text/javascript,${encodeURIComponent(source)}`;
  const hooks = `export const resolve = (name, context, next) =>
    name === "fs" ? { url: ${JSON.stringify(url)}, shortCircuit: true } : next(name, context);`;
  register(`data:text/javascript,${encodeURIComponent(hooks)}`);
}
