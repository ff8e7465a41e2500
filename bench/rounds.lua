-- The load for wrk: round one alone, both rounds in turn, or round one as an agent calls it.
-- usage: wrk -s rounds.lua ... URL -- one|both|mcp BODY_FILE [DELAY]
-- BODY_FILE has round one's body. With DELAY each connection waits a random time before a request,
-- that many milliseconds on average.
-- Prints one line of name=value pairs at the end: rate in requests a second, times in microseconds.

local ANSWER = ',"inputResponses":{"time":{"action":"accept","content":{"time":"sat-10:30"}}},"requestState":'

-- Of one thread; globals, so that done() can read them.
asked, booked, wrong = 0, 0, 0

local threads = {}

function setup(thread)
   table.insert(threads, thread)
end

local function read_file(path)
   local file = assert(io.open(path, "rb"))
   local text = file:read("*a")
   file:close()
   return text
end

-- The state as it stands in a reply, quotes and escapes included.
local function raw_state(body)
   local _, before = body:find('"requestState":', 1, true)
   local after = before and body:find(',"resultType"', before, true)
   return after and body:sub(before + 1, after - 1)
end

-- Round two follows every reply to a round one, on whichever connection is free first.
local function take_both_rounds(one)
   local head = ("POST %s HTTP/1.1\r\nHost: %s:%s\r\nContent-Type: application/json\r\nContent-Length: "):format(
      wrk.path, wrk.host, wrk.port)
   local request_one = head .. #one .. "\r\n\r\n" .. one
   local start_two = one:sub(1, -2) .. ANSWER
   local states, waiting = {}, 0

   function request()
      if waiting == 0 then
         return request_one
      end
      local state = states[waiting]
      waiting = waiting - 1
      return head .. (#start_two + #state + 1) .. "\r\n\r\n" .. start_two .. state .. "}"
   end

   function response(status, _, body)
      local state = status == 200 and raw_state(body)
      if state then
         waiting = waiting + 1
         states[waiting] = state
         asked = asked + 1
      elseif status == 200 and body:find('"status":"booked"', 1, true) then
         booked = booked + 1
      else
         wrong = wrong + 1
      end
   end
end

function init(words)
   local rounds, body_file, pause = words[1], words[2], tonumber(words[3])
   local one = read_file(body_file)
   wrk.method = "POST"
   wrk.headers["Content-Type"] = "application/json"
   wrk.body = one
   if rounds == "mcp" then
      wrk.headers["MCP-Protocol-Version"] = "2026-07-28"
      wrk.headers["Mcp-Method"] = "tools/call"
      wrk.headers["Mcp-Name"] = "book"
      function response(status, _, body)
         if status == 200 and body:find('"resultType":"input_required"', 1, true) then
            asked = asked + 1
         else
            wrong = wrong + 1
         end
      end
   end
   if rounds == "both" then
      take_both_rounds(one)
   end
   if pause then
      math.randomseed(os.time())
      function delay()
         return math.random(1, 2 * pause - 1)
      end
   end
end

function done(summary, latency)
   local sum = { asked = 0, booked = 0, wrong = 0 }
   for _, thread in ipairs(threads) do
      for name in pairs(sum) do
         sum[name] = sum[name] + thread:get(name)
      end
   end
   local errors = summary.errors
   io.write(("result requests=%d rate=%.1f p50=%d p99=%d asked=%d booked=%d wrong=%d\n"):format(
      summary.requests, summary.requests / summary.duration * 1e6,
      latency:percentile(50), latency:percentile(99), sum.asked, sum.booked,
      sum.wrong + errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
