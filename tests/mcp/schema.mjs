// The specification's own JSON Schema, which the pinned conformance package carries inside its program.
import fs from "node:fs";
import { createRequire } from "node:module";
import { Ajv2020 } from "ajv/dist/2020.js";

const require = createRequire(import.meta.url);
const program = fs.readFileSync(require.resolve("@modelcontextprotocol/conformance/package.json").replace("package.json", "dist/index.js"), "utf8");

// The object literal that begins at `start`.
function literalAt(start) {
  let depth = 0;
  let quote = null;
  for (let i = start; i < program.length; i++) {
    const c = program[i];
    if (quote !== null) {
      if (c === "\\") i++;
      else if (c === quote) quote = null;
    } else if ("`'\"".includes(c)) quote = c;
    else if (c === "{") depth++;
    else if (c === "}" && --depth === 0) return new Function(`return ${program.slice(start, i + 1)}`)();
  }
  throw new Error("a schema has no end");
}

function findSchema(isIt) {
  for (const match of program.matchAll(/\{\$schema:`https?:\/\/json-schema\.org[^`]*`,(\$defs|definitions):/g)) {
    const schema = literalAt(match.index);
    if (isIt(schema)) return schema;
  }
  throw new Error("the conformance package has no such schema");
}

const modern = findSchema((schema) => schema.$defs?.DiscoverResultResponse !== undefined);
const handshake = findSchema((schema) => schema.$defs !== undefined && schema.$defs.DiscoverResult === undefined && schema.$defs.CallToolResult !== undefined);

function validators(schema) {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(schema, "mcp");
  return (name, value) => {
    const validate = ajv.getSchema(`mcp#/$defs/${name}`);
    if (validate === undefined) throw new Error(`the schema has no ${name}`);
    return validate(value) ? null : ajv.errorsText(validate.errors);
  };
}

export const checkModern = validators(modern);
export const checkHandshake = validators(handshake);

const modernResults = { "server/discover": "DiscoverResult", "tools/list": "ListToolsResult" };
const handshakeResults = { initialize: "InitializeResult", "tools/list": "ListToolsResult", "tools/call": "CallToolResult", ping: "EmptyResult" };

// What is wrong with the reply to a request, or null.
export function problemOf(request, reply) {
  const isModern = request?.params?._meta?.["io.modelcontextprotocol/protocolVersion"] !== undefined;
  const check = isModern ? checkModern : checkHandshake;
  if (reply.error !== undefined) {
    const wrong = check("JSONRPCErrorResponse", reply);
    return wrong ?? (reply.error.code === -32022 ? checkModern("UnsupportedProtocolVersionError", reply) : null);
  }
  const wrong = check("JSONRPCResultResponse", reply);
  if (wrong !== null) return wrong;
  if (isModern && request.method === "tools/call")
    return check(reply.result.resultType === "input_required" ? "InputRequiredResult" : "CallToolResult", reply.result);
  const name = (isModern ? modernResults : handshakeResults)[request.method];
  return name === undefined ? `no schema for the result of ${request.method}` : check(name, reply.result);
}
