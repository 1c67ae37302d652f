-- Gets the same address over and over. Environment: AUTHORIZATION, if there is to be one; PAUSE
-- (milliseconds that each connection waits before each request; none if it is missing).
local headers = { ["Authorization"] = os.getenv("AUTHORIZATION") }
bad = 0
local threads = {}

local pause = tonumber(os.getenv("PAUSE"))
if pause then
  function delay() return pause end
end

function setup(thread) table.insert(threads, thread) end

function request() return wrk.format("GET", nil, headers) end

function response(status) if status ~= 200 then bad = bad + 1 end end

function done(summary, latency)
  local failed = 0
  for _, thread in ipairs(threads) do failed = failed + thread:get("bad") end
  print(string.format("RESULT %d %d %d %d", summary.requests, summary.duration, failed, latency:percentile(99)))
  print(string.format("MEDIAN %d", latency:percentile(50)))
end
