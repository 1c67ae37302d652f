-- Rotates refresh tokens: each request takes one token out of a pool, each good answer puts its successor back, so
-- every request is a real rotation. Environment: TOKENS (a file, one token a line), AUTHORIZATION, PAUSE (milliseconds
-- that each connection waits before each request; none if it is missing), KEEP (if it is set, the file has the tokens
-- that are left at the end: one less for each request that was not answered).
queue, head, tail = {}, 1, 0
local function push(token) tail = tail + 1; queue[tail] = token end
bad, empty = 0, 0
local threads = {}

function setup(thread) table.insert(threads, thread) end

function init() for line in io.lines(os.getenv("TOKENS")) do push(line) end end

local headers = {
  ["Content-Type"] = "application/x-www-form-urlencoded",
  ["Authorization"] = os.getenv("AUTHORIZATION"),
}

local pause = tonumber(os.getenv("PAUSE"))
if pause then
  function delay() return pause end
end

function request()
  local token = queue[head]
  if token then queue[head] = nil; head = head + 1 else empty = empty + 1; token = "none" end
  return wrk.format("POST", nil, headers, "grant_type=refresh_token&refresh_token=" .. token)
end

function response(status, _, body)
  local token = status == 200 and body:match('"refresh_token"%s*:%s*"([^"]+)"')
  if token then push(token) else bad = bad + 1 end
end

function done(summary, latency)
  local failed = 0
  for _, thread in ipairs(threads) do failed = failed + thread:get("bad") end
  print(string.format("RESULT %d %d %d %d", summary.requests, summary.duration, failed, latency:percentile(99)))
  if os.getenv("KEEP") then
    local file = io.open(os.getenv("TOKENS"), "w")
    for _, thread in ipairs(threads) do
      for _, token in pairs(thread:get("queue")) do file:write(token, "\n") end
    end
    file:close()
  end
  print(string.format("MEDIAN %d", latency:percentile(50)))
end
