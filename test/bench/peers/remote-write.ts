import type { Sample } from './peer.ts'
import { TIME_IN_VARINT, varint } from './requests.ts'

/** Tags of protobuf: the field's number times eight, plus 0 varint, 1 double, 2 bytes. */
const LIST_ITEM = 10
const SECOND_BYTES = 18
const FIRST_DOUBLE = 9
const SECOND_VARINT = 16

/** Prometheus's `WriteRequest` of series `m{job="…"}` with one sample each, in a snappy block that is one literal. */
export function writeRequest(samples: readonly Sample[]): Uint8Array {
  return snappyLiteral(Buffer.concat(samples.map((sample) => field(LIST_ITEM, timeSeries(sample)))))
}

function timeSeries({ job, at, value }: Sample): Uint8Array {
  const bits = Buffer.alloc(8)
  bits.writeDoubleLE(value)
  const time = at === null ? TIME_IN_VARINT : Buffer.from(varint(at))
  const sample = Buffer.concat([Buffer.of(FIRST_DOUBLE), bits, Buffer.of(SECOND_VARINT), time])
  return Buffer.concat([label('__name__', 'm'), label('job', String(job)), field(SECOND_BYTES, sample)])
}

function label(name: string, value: string): Uint8Array {
  const pair = [field(LIST_ITEM, Buffer.from(name)), field(SECOND_BYTES, Buffer.from(value))]
  return field(LIST_ITEM, Buffer.concat(pair))
}

function field(tag: number, bytes: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.of(tag, ...varint(bytes.length)), bytes])
}

/** The length, then the tag of a literal with its length minus one in three bytes, then the bytes as they are. */
function snappyLiteral(bytes: Uint8Array): Uint8Array {
  const last = bytes.length - 1
  const tag = Buffer.of(62 << 2, last & 255, (last >> 8) & 255, last >> 16)
  return Buffer.concat([Buffer.from(varint(bytes.length)), tag, bytes])
}
