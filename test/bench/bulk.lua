-- Bulk deliveries. Arguments: form, first job, number of jobs, session, values in a request, epoch s of the first sample.
local form, first, count, session, size, start
local threads = {}
refused = 0

function setup(thread)
  table.insert(threads, thread)
end

-- Instants are a prefix of 100 s, which each request of a job has anew, and a place in it, which stands in the template.
local template = nil
local requests = 0

function init(args)
  form, first, count, session = args[1], tonumber(args[2]), tonumber(args[3]), args[4]
  size, start = tonumber(args[5]), tonumber(args[6])
  wrk.headers['Content-Type'] = 'application/json'
  if session ~= '' then wrk.headers['X-Session-Id'] = session end
  local times, values = {}, {}
  for index = 1, size do
    times[index] = string.format('@%05d', math.floor((index - 1) * 100000 / size))
    values[index] = string.format('%.2f', 20 + math.random() * 5)
  end
  template = string.format('"key":"returnValue1","timestamps":[%s],"values":[%s]}]}', table.concat(times, ','),
    table.concat(values, ','))
end

local function series_body()
  local job = first + requests % count
  local prefix = string.format('%d', math.floor(start / 100) + math.floor(requests / count))
  requests = requests + 1
  return '{"series":[{"jobId":' .. job .. ',' .. string.gsub(template, '@', prefix)
end

-- These carry no instants, so that a few may be sent again and again: making one costs more than sending it.
local BODIES = 64
local bodies = {}

local function deliveries_body()
  requests = requests % BODIES + 1
  if not bodies[requests] then
    local items = {}
    for index = 1, size do
      items[index] = string.format('{"jobId":%d,"returnValue1":%.2f,"errorCode":0}',
        first + math.random(0, count - 1), 20 + math.random() * 5)
    end
    bodies[requests] = '{"deliveries":[' .. table.concat(items, ',') .. ']}'
  end
  return bodies[requests]
end

local function round_body()
  requests = requests % BODIES + 1
  if not bodies[requests] then
    local ids, values = {}, {}
    for index = 1, size do
      ids[index] = first + math.random(0, count - 1)
      values[index] = string.format('%.2f', 20 + math.random() * 5)
    end
    bodies[requests] = string.format('{"rounds":[{"key":"returnValue1","jobIds":[%s],"values":[%s]}]}',
      table.concat(ids, ','), table.concat(values, ','))
  end
  return bodies[requests]
end

local makers = { series = series_body, deliveries = deliveries_body, rounds = round_body }

function request()
  if form == 'floor' then return wrk.format('POST', '/floor') end
  return wrk.format('POST', '/webcollector/values', nil, makers[form]())
end

-- A refused item is in an answer of status 200.
function response(status, headers, body)
  if string.find(body, '"code":', 1, true) then refused = refused + 1 end
end

function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  for _, thread in ipairs(threads) do failed = failed + thread:get('refused') end
  io.write(string.format('RESULT {"requests":%d,"failed":%d,"durationUs":%d,"p50Us":%d,"p99Us":%d}\n',
    summary.requests, failed, summary.duration, latency:percentile(50), latency:percentile(99)))
end
