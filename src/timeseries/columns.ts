import { ByteWriter, SAMPLES_PER_BODY_MAX } from './bytes.ts'
import type { ByteReader } from './bytes.ts'
import { bestPredictor, readPacked, writePacked } from './packed-integers.ts'
import { TimestampCache } from './timestamp-cache.ts'
import type { Samples } from './samples.ts'

const INSTANT_MAX = 8.64e15

const ROUND_MS = 1_000

const recent = new TimestampCache()

/**
 * Writes the count, the first instant, a step, and in a packed column how far each other instant is from the grid that
 * both make.
 * @throws RangeError for columns of unequal length, too many samples, or instants that are no ascending epoch ms.
 */
export function writeInstants(writer: ByteWriter, samples: Samples<unknown>): void {
  const { at, values } = samples
  if (at.length !== values.length) throw new RangeError(`${at.length} instants for ${values.length} values`)
  if (at.length > SAMPLES_PER_BODY_MAX)
    throw new RangeError(`${at.length} samples are too many for one segment`)
  let bytes = recent.bytesOf(at)
  if (bytes === null) {
    bytes = bytesOf(at)
    recent.add(at, bytes)
  }
  writer.bytes(bytes)
}

function bytesOf(at: readonly number[]): Uint8Array {
  let last = 0
  for (const instant of at) {
    const isInstant = Number.isInteger(instant) && instant >= last && instant <= INSTANT_MAX
    if (!isInstant) throw new RangeError(`${instant} is not an epoch ms at or after ${last}`)
    last = instant
  }
  const writer = new ByteWriter()
  writer.unsigned(at.length)
  const [first] = at
  if (first !== undefined) {
    writer.unsigned(first)
    const { step, residuals, best } = onGrid(at, first)
    writer.unsigned(step)
    writePacked(writer, residuals, best)
  }
  return writer.finish()
}

/** Reads what writeInstants wrote. */
export function readInstants(reader: ByteReader): readonly number[] {
  const from = reader.place
  const known = recent.columnIn(reader.body, from)
  if (known) {
    reader.bytes(known.bytes.length)
    return known.at
  }
  const at = readNewInstants(reader)
  recent.add(at, reader.body.slice(from, reader.place))
  return at
}

function readNewInstants(reader: ByteReader): readonly number[] {
  const count = reader.count()
  if (count === 0) return []
  const first = reader.unsigned()
  const step = reader.unsigned()
  const at = [first]
  for (const residual of readPacked(reader, count - 1)) at.push(first + at.length * step + residual)

  return at
}

/** Senders keep to a round distance on the whole, or to one that they repeat: the better one of both. */
function onGrid(at: readonly number[], first: number): Grid {
  const count = at.length - 1
  const mean = ((at[count] ?? first) - first) / Math.max(1, count)
  const middle = at.length >> 1
  const even = gridOf(at, Math.round(mean / ROUND_MS) * ROUND_MS || Math.round(mean))
  const repeated = (at[middle] ?? first) - (at[middle - 1] ?? first)
  // Farther out the grid would be no exact double.
  if (repeated === even.step || repeated * count > INSTANT_MAX || even.best.total === 0) return even
  const other = gridOf(at, repeated)
  return other.best.total < even.best.total ? other : even
}

type Grid = {
  readonly step: number
  readonly residuals: readonly number[]
  readonly best: ReturnType<typeof bestPredictor>
}

function gridOf(at: readonly number[], step: number): Grid {
  const first = at[0] ?? 0
  const residuals: number[] = []
  for (let index = 1; index < at.length; index++) residuals.push((at[index] ?? 0) - first - index * step)
  return { step, residuals, best: bestPredictor(residuals) }
}

/**
 * Appends `length` times `value`, as a run in a body says.
 * @throws RangeError when the run is empty or leads past `count`.
 */
export function appendRun(column: number[], value: number, length: number, count: number): void {
  const isRun = length > 0 && column.length + length <= count
  if (!isRun) throw new RangeError(`the segment body holds a run of ${length} among ${count} samples`)
  for (let index = 0; index < length; index++) column.push(value)
}
