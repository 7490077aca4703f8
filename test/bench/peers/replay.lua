-- Sends the requests of a file, one after the other, around and around. Arguments: the file, and how many of them to
-- leave out at the beginning. A request in it is its length, a line feed and its bytes, with the time of sending left open as `requests.ts` says.
local ffi = require('ffi')
ffi.cdef('typedef struct { long s; long us; } moment; int gettimeofday(moment *, void *);')
local moment = ffi.new('moment')

local OPEN = { digits = string.rep('\1', 13), varint = string.rep('\255', 6) }
local requests, count, turn = {}, 0, 0

local function now()
  ffi.C.gettimeofday(moment, nil)
  return tonumber(moment.s) * 1000 + math.floor(tonumber(moment.us) / 1000)
end

local function varint(value)
  local bytes = {}
  while value >= 128 do
    bytes[#bytes + 1] = string.char(value % 128 + 128)
    value = math.floor(value / 128)
  end
  return table.concat(bytes) .. string.char(value)
end

-- The request cut where a time belongs; a string when it takes none.
local function cut(text)
  for kind, place in pairs(OPEN) do
    local parts, from = {}, 1
    while true do
      local at = string.find(text, place, from, true)
      parts[#parts + 1] = string.sub(text, from, at and at - 1)
      if not at then break end
      from = at + #place
    end
    if #parts > 1 then return { kind = kind, parts = parts } end
  end
  return text
end

function init(args)
  local file = assert(io.open(args[1], 'rb'))
  while true do
    local length = file:read('*n')
    if not length then break end
    file:read(1)
    count = count + 1
    requests[count] = cut(file:read(length))
  end
  file:close()
  turn = tonumber(args[2]) % count
end

function request()
  turn = turn % count + 1
  local one = requests[turn]
  if type(one) == 'string' then return one end
  local at = now()
  return table.concat(one.parts, one.kind == 'digits' and string.format('%d', at) or varint(at))
end

function done(summary, latency, _)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format('RESULT {"requests":%d,"failed":%d,"durationUs":%d,"p50Us":%d,"p99Us":%d}\n',
    summary.requests, failed, summary.duration, latency:percentile(50), latency:percentile(99)))
end
