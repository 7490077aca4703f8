-- One delivery after the other to random jobs. Arguments: the path's end, first job, number of jobs, session, body, and
-- how long a connection rests before each, in ms on average; without it, it does not.
local path, first, count, session, body, rest
local thread_count = 0

function setup(thread)
  thread:set('seed', thread_count)
  thread_count = thread_count + 1
end

function init(args)
  path, first, count, session, body = args[1], tonumber(args[2]), tonumber(args[3]), args[4], args[5]
  rest = tonumber(args[6])
  math.randomseed(seed + 1)
  -- Exponential: what many connections send together comes nearly as a Poisson process.
  if rest then delay = function() return math.floor(0.5 - rest * math.log(1 - math.random())) end end
  wrk.headers['Content-Type'] = 'application/json'
  if session ~= '' then wrk.headers['X-Session-Id'] = session end
end

function request()
  if path == 'floor' then return wrk.format('POST', '/floor') end
  local job = first + math.random(0, count - 1)
  return wrk.format('POST', '/webcollector/jobs/' .. job .. '/values', nil, body)
end

function done(summary, latency, requests)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format('RESULT {"requests":%d,"failed":%d,"durationUs":%d,"p50Us":%d,"p99Us":%d}\n',
    summary.requests, failed, summary.duration, latency:percentile(50), latency:percentile(99)))
end
