// The official clients book at a server, and every reply that they get, or that a raw request gets, is valid
// against the specification's schema. Usage: node clients.mjs URL TANDEM KEY_FILE
import assert from "node:assert/strict";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OldStdioTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { problemOf } from "./schema.mjs";

const [url, tandem, keyFile] = process.argv.slice(2);
const who = { name: "tandem-check", version: "1.0.0" };
const booking = { salon: "elm-street", message: "a trim please", openSlots: ["sat-10:30", "sat-11:30", "sat-13:00"] };
let checked = 0;

// fetch, with each reply held to the schema.
async function checkedFetch(input, init) {
  const reply = await fetch(input, init);
  const text = await reply.clone().text();
  if (init?.method !== "POST" || text === "") return reply;
  const request = JSON.parse(init.body);
  const problem = problemOf(request, JSON.parse(text));
  assert.equal(problem, null, `${request.method}: ${problem}\n${text}`);
  checked++;
  return reply;
}

async function modern(answer, capabilities = { elicitation: { form: {} } }, transport = new StreamableHTTPClientTransport(new URL(url), { fetch: checkedFetch })) {
  const asked = [];
  const client = new Client(who, { capabilities, versionNegotiation: { mode: "auto" } });
  if (capabilities.elicitation !== undefined)
    client.setRequestHandler("elicitation/create", async (request) => {
      asked.push(request.params.requestedSchema.properties.time.enum);
      return answer;
    });
  await client.connect(transport);
  return { client, asked };
}

async function old(transport) {
  const client = new OldClient(who, { capabilities: {} });
  await client.connect(transport);
  return client;
}

const tests = {
  async "lists, calls, is asked, answers, books"() {
    const { client, asked } = await modern({ action: "accept", content: { time: "sat-11:30" } });
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map((tool) => tool.name), ["book"]);
    assert.equal(tools[0].annotations.idempotentHint, false);
    const result = await client.callTool({ name: "book", arguments: booking });
    assert.deepEqual(asked, [["sat-10:30", "sat-11:30"]]);
    assert.deepEqual(result.structuredContent, { status: "booked", slot: "sat-11:30", say: "sat-11:30 is yours." });
    assert.deepEqual(result.content, [{ type: "text", text: "sat-11:30 is yours." }]);
    await client.close();
  },
  async "declines"() {
    const { client, asked } = await modern({ action: "decline" });
    const result = await client.callTool({ name: "book", arguments: booking });
    assert.equal(asked.length, 1);
    assert.equal(result.structuredContent.status, "not_booked");
    await client.close();
  },
  async "can be asked, so `time` doesn't skip the customer"() {
    const { client, asked } = await modern({ action: "accept", content: { time: "sat-10:30" } });
    const result = await client.callTool({ name: "book", arguments: { ...booking, time: "sat-11:30" } });
    assert.equal(asked.length, 1);
    assert.equal(result.structuredContent.slot, "sat-10:30");
    await client.close();
  },
  async "without elicitation, is told the times and books with `time`"() {
    const { client } = await modern(null, {});
    const told = await client.callTool({ name: "book", arguments: booking });
    assert.equal(told.isError, true);
    assert.match(told.content[0].text, /"sat-10:30" or "sat-11:30"/);
    const result = await client.callTool({ name: "book", arguments: { ...booking, time: "sat-11:30" } });
    assert.equal(result.structuredContent.slot, "sat-11:30");
    await client.close();
  },
  async "over standard input and output, is asked and books"() {
    const transport = new StdioClientTransport({ command: tandem, args: ["serve", "--stdio", "--signing-key-file", keyFile], stderr: "ignore" });
    const { client, asked } = await modern({ action: "accept", content: { time: "sat-10:30" } }, undefined, transport);
    const result = await client.callTool({ name: "book", arguments: booking });
    assert.equal(asked.length, 1);
    assert.equal(result.structuredContent.status, "booked");
    await client.close();
  },
  async "of the handshake era, books with `time`"() {
    const client = await old(new OldTransport(new URL(url), { fetch: checkedFetch }));
    assert.equal(client.getServerVersion().name, "tandem");
    assert.deepEqual((await client.listTools()).tools.map((tool) => tool.name), ["book"]);
    const told = await client.callTool({ name: "book", arguments: booking });
    assert.equal(told.isError, true);
    const result = await client.callTool({ name: "book", arguments: { ...booking, time: "sat-10:30" } });
    assert.equal(result.structuredContent.slot, "sat-10:30");
    await client.ping();
    await client.close();
  },
  async "of the handshake era over standard input and output, books with `time`"() {
    const client = await old(new OldStdioTransport({ command: tandem, args: ["serve", "--stdio", "--signing-key-file", keyFile], stderr: "ignore" }));
    const result = await client.callTool({ name: "book", arguments: { ...booking, time: "sat-11:30" } });
    assert.equal(result.structuredContent.slot, "sat-11:30");
    await client.close();
  },
  async "raw requests of each kind, whose replies are valid too"() {
    const meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} };
    const future = { ...meta, "io.modelcontextprotocol/protocolVersion": "2027-01-01" };
    const state = { name: "book", arguments: booking, requestState: "{}.00", _meta: meta };
    const requests = [
      [404, { method: "prompts/list", params: { _meta: meta } }],
      [400, { method: "server/discover", params: { _meta: future } }, { "MCP-Protocol-Version": "2027-01-01" }],
      [400, { method: "tools/list", params: {} }],
      [400, { method: "tools/list", params: { _meta: meta } }, { "Mcp-Method": "tools/call" }],
      [400, { method: 7 }],
      [415, { method: "tools/list", params: { _meta: meta } }, { "Content-Type": "text/plain" }],
      [200, { method: "tools/call", params: state }],
      [200, { method: "tools/call", params: { ...state, name: "no such tool" } }],
      [200, { method: "tools/call", params: { name: "book", arguments: {}, _meta: meta } }],
    ];
    for (const [status, message, headers] of requests) {
      const reply = await checkedFetch(url, {
        method: "POST",
        headers: { "Content-Type": "application/json", "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": String(message.method), "Mcp-Name": message.params?.name ?? "", ...headers },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...message }),
      });
      assert.equal(reply.status, status, JSON.stringify(message));
    }
  },
};

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  try {
    await test();
    console.log(`a client ${name}: good`);
  } catch (error) {
    console.log(`a client ${name}: FAILED\n${error.stack}`);
    failed++;
  }
}
console.log(`${checked} replies are valid against the specification's schema`);
process.exit(failed === 0 && checked > 0 ? 0 : 1);
