-- Posts the same form with the same credentials over and over. Environment: FORM, AUTHORIZATION.
local headers = {
  ["Content-Type"] = "application/x-www-form-urlencoded",
  ["Authorization"] = os.getenv("AUTHORIZATION"),
}
local body = os.getenv("FORM")
bad = 0
local threads = {}

function setup(thread) table.insert(threads, thread) end

function request() return wrk.format("POST", nil, headers, body) end

function response(status) if status ~= 200 then bad = bad + 1 end end

function done(summary, latency)
  local failed = 0
  for _, thread in ipairs(threads) do failed = failed + thread:get("bad") end
  print(string.format("RESULT %d %d %d %d", summary.requests, summary.duration, failed, latency:percentile(99)))
end
