-- One delivery after the other to random jobs. Arguments: the path's end, first job, number of jobs, session, body.
local path, first, count, session, body
local thread_count = 0

function setup(thread)
  thread:set('seed', thread_count)
  thread_count = thread_count + 1
end

function init(args)
  path, first, count, session, body = args[1], tonumber(args[2]), tonumber(args[3]), args[4], args[5]
  math.randomseed(seed + 1)
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
