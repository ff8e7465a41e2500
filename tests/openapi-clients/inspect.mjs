// Looks through the types of both generated clients as the compiler sees them, and fails where one is
// `never`, `any` or `unknown` instead of a real type. (A search of the text would not do: a `never`
// can come of an intersection, and openapi-typescript writes `put?: never` for methods that aren't there.)
import ts from "typescript";

// The document's own inside is free JSON: a reply that is a map of anything.
const FREE = ["OpenapiDocument.security[]", "OpenapiDocument.paths[string]", "OpenapiDocument.components[string]"];
// What MCP leaves open, wherever it stands.
const FREE_OF_MCP = /\.(params|_meta|inputSchema|outputSchema|annotations|capabilities\.tools)\[string\]$/;

const options = ts.parseConfigFileTextToJson("tsconfig.json", ts.sys.readFile("tsconfig.json")).config.compilerOptions;
const { options: compilerOptions } = ts.convertCompilerOptionsFromJson(options, ".");
const files = ["openapi-typescript.generated.ts", "rtk-query.generated.ts"];
const program = ts.createProgram(files, compilerOptions);
const checker = program.getTypeChecker();
const failures = [];
let looked = 0;

function exportsOf(file) {
  const source = program.getSourceFile(file);
  const symbols = checker.getExportsOfModule(checker.getSymbolAtLocation(source));
  const types = symbols.filter((symbol) => symbol.flags & ts.SymbolFlags.Type);
  return new Map(types.map((symbol) => [symbol.name, checker.getDeclaredTypeOfSymbol(symbol)]));
}

function typeOfProperty(type, name) {
  const property = type.getProperty(name);
  if (property === undefined) throw new Error(`no ${name} in ${checker.typeToString(type)}`);
  return checker.getTypeOfSymbol(property);
}

function isFree(place) {
  return FREE_OF_MCP.test(place) || FREE.some((free) => place === free || place.startsWith(`${free}[`));
}

function look(type, place, open) {
  looked++;
  for (const [flag, name] of [[ts.TypeFlags.Never, "never"], [ts.TypeFlags.Any, "any"], [ts.TypeFlags.Unknown, "unknown"]])
    if (type.flags & flag) {
      if (name === "never" || !isFree(place)) failures.push(`${place} is ${name}`);
      return;
    }
  if (open.includes(type)) return; // a type that holds itself
  const inside = [...open, type];
  if (type.isUnion()) return type.types.forEach((branch) => look(branch, place, inside));
  if (!(type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection))) return;
  if (checker.isArrayType(type)) return look(checker.getTypeArguments(type)[0], `${place}[]`, inside);
  for (const property of type.getProperties())
    look(checker.getTypeOfSymbol(property), place === "" ? property.name : `${place}.${property.name}`, inside);
  for (const index of checker.getIndexInfosOfType(type))
    look(index.type, `${place}[${checker.typeToString(index.keyType)}]`, inside);
}

function expectText(type, place, text) {
  const found = checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.InTypeAlias);
  const sorted = (union) => union.split(" | ").sort().join(" | ");
  if (sorted(found) !== sorted(text)) failures.push(`${place} is ${found}, not ${text}`);
}

function expectLiterals(generator, schema) {
  expectText(typeOfProperty(schema("InputRequired"), "resultType"), `${generator}: InputRequired.resultType`, '"input_required"');
  expectText(typeOfProperty(schema("Complete"), "resultType"), `${generator}: Complete.resultType`, '"complete"');
  expectText(typeOfProperty(schema("Booked"), "status"), `${generator}: Booked.status`, '"booked"');
  expectText(typeOfProperty(schema("NotBooked"), "status"), `${generator}: NotBooked.status`, '"not_booked"');
  expectText(typeOfProperty(schema("AcceptAnswer"), "action"), `${generator}: AcceptAnswer.action`, '"accept"');
  expectText(typeOfProperty(schema("DeclineOrCancelAnswer"), "action"), `${generator}: DeclineOrCancelAnswer.action`, '"decline" | "cancel"');
}

function report(generator, what) {
  console.log(`${generator}: looked at ${what}, ${looked} types in all, for never, any, unknown and the literals`);
  looked = 0;
}

function inspectOpenapiTypescript() {
  const exported = exportsOf(files[0]);
  const schemas = typeOfProperty(exported.get("components"), "schemas");
  look(schemas, "", []);
  const bookVisit = typeOfProperty(exported.get("operations"), "bookVisit");
  look(typeOfProperty(bookVisit, "requestBody"), "bookVisit.requestBody", []);
  const statuses = typeOfProperty(bookVisit, "responses").getProperties();
  for (const status of statuses)
    look(typeOfProperty(checker.getTypeOfSymbol(status), "content"), `bookVisit.${status.name}`, []);
  expectLiterals("openapi-typescript", (name) => typeOfProperty(schemas, name));
  report("openapi-typescript", `${schemas.getProperties().length} schemas, ${statuses.length} replies to bookVisit`);
}

function inspectRtkQuery() {
  const exported = exportsOf(files[1]);
  for (const name of [...exported.keys()])
    if (/^(Head|Preflight).*ApiResponse$/.test(name)) exported.delete(name); // no body, and the generator says `unknown` for that
  for (const [name, type] of exported) look(type, name === "GetOpenapiApiResponse" ? "OpenapiDocument" : name, []);
  expectLiterals("RTK Query", (name) => {
    if (!exported.has(name)) throw new Error(`RTK Query: no type ${name}`);
    return exported.get(name);
  });
  report("RTK Query", `${exported.size} exported types`);
}

inspectOpenapiTypescript();
inspectRtkQuery();
for (const failure of failures) console.error(`FAILED: ${failure}`);
process.exit(failures.length === 0 ? 0 : 1);
