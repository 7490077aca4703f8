import { SAMPLES_PER_BODY_MAX, type ByteReader, type ByteWriter } from './bytes.ts'
import type { Samples } from './samples.ts'

const INSTANT_MAX = 8.64e15

/** The byte of a signed varint that would read "minus nought": it announces a run of noughts instead. */
const RUN = 0x01
const RUN_LENGTH_MIN = 3

/**
 * Writes the count and the instants: the first as it is, then the change of each gap against the gap before it.
 * @throws RangeError for columns of unequal length, too many samples, or instants that are no ascending epoch ms.
 */
export function writeInstants(writer: ByteWriter, samples: Samples<unknown>): void {
  const { at, values } = samples
  if (at.length !== values.length) throw new RangeError(`${at.length} instants for ${values.length} values`)
  if (at.length > SAMPLES_PER_BODY_MAX)
    throw new RangeError(`${at.length} samples are too many for one segment`)

  const changes: number[] = []
  let last = 0
  let lastGap = 0
  for (const instant of at) {
    const isInstant = Number.isInteger(instant) && instant >= last && instant <= INSTANT_MAX
    if (!isInstant) throw new RangeError(`${instant} is no epoch ms at or after ${last}`)

    const isFirst = changes.length === 0
    const gap = isFirst ? 0 : instant - last
    changes.push(isFirst ? instant : gap - lastGap)
    last = instant
    lastGap = gap
  }

  writer.unsigned(at.length)
  writeColumn(writer, changes)
}

/** Reads what writeInstants wrote. */
export function readInstants(reader: ByteReader): number[] {
  const at = readColumn(reader, reader.count())
  let gap = 0
  for (let index = 1; index < at.length; index++) {
    gap += at[index] ?? 0
    at[index] = (at[index - 1] ?? 0) + gap
  }

  return at
}

/** Writes integers whose differences stay within 2^53 as signed varints of each difference, the first against 0. */
export function writeDifferences(writer: ByteWriter, integers: readonly number[]): void {
  let last = 0
  const differences = integers.map((integer) => {
    const difference = integer - last
    last = integer

    return difference
  })

  writeColumn(writer, differences)
}

/** Reads what writeDifferences wrote. */
export function readDifferences(reader: ByteReader, count: number): number[] {
  const integers = readColumn(reader, count)
  for (let index = 1; index < integers.length; index++) {
    integers[index] = (integers[index] ?? 0) + (integers[index - 1] ?? 0)
  }

  return integers
}

function writeColumn(writer: ByteWriter, column: readonly number[]): void {
  let noughts = 0
  for (const value of column) {
    if (value === 0) {
      noughts++
      continue
    }
    writeNoughts(writer, noughts)
    noughts = 0
    writer.signed(value)
  }
  writeNoughts(writer, noughts)
}

function writeNoughts(writer: ByteWriter, length: number): void {
  if (length >= RUN_LENGTH_MIN) {
    writer.byte(RUN)
    writer.unsigned(length)
    return
  }
  for (let written = 0; written < length; written++) writer.byte(0)
}

function readColumn(reader: ByteReader, count: number): number[] {
  const column: number[] = []
  while (column.length < count) {
    const value = reader.signed()
    // A signed varint yields -0 for the run byte only.
    if (value !== 0 || Object.is(value, 0)) {
      column.push(value)
      continue
    }
    appendRun(column, 0, reader.unsigned(), count)
  }

  return column
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
