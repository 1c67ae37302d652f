-- Posts the same forms with the same credentials over and over. Environment: FORM (one a line), AUTHORIZATION,
-- CONTENT_TYPE, PAUSE (milliseconds that each connection waits before each request; none if it is missing).
local headers = {
  ["Content-Type"] = os.getenv("CONTENT_TYPE") or "application/x-www-form-urlencoded",
  ["Authorization"] = os.getenv("AUTHORIZATION"),
}
local forms, turn = {}, 0
for form in os.getenv("FORM"):gmatch("[^\n]+") do table.insert(forms, form) end
bad = 0
local threads = {}

local pause = tonumber(os.getenv("PAUSE"))
if pause then
  function delay() return pause end
end

function setup(thread) table.insert(threads, thread) end

function request()
  turn = turn % #forms + 1
  return wrk.format("POST", nil, headers, forms[turn])
end

function response(status) if status ~= 200 then bad = bad + 1 end end

function done(summary, latency)
  local failed = 0
  for _, thread in ipairs(threads) do failed = failed + thread:get("bad") end
  print(string.format("RESULT %d %d %d %d", summary.requests, summary.duration, failed, latency:percentile(99)))
  print(string.format("MEDIAN %d", latency:percentile(50)))
end
