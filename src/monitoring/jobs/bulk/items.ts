import { Refusal } from '../../../lib/errors.ts'
import type { Fault } from '../../../lib/errors.ts'
import { pointerOf } from '../../../lib/pointer.ts'
import { parseInstant } from '../../../lib/time.ts'
import type { Delivery, Round, SampleSeries, Value } from '../../../domain/delivery.ts'
import { areNumbers, areTexts, isNumber, isPlainField, isText } from '../plain.ts'
import { deliveryBody, deliveryOf, RUN_SAMPLES_MAX, RUN_TEXT_MAX } from '../schema.ts'
import { jobIdOf, roundBody, seriesBody } from './schema.ts'
import { isJsonObject } from '../../../lib/json.ts'
import type { JsonObject } from '../../../lib/json.ts'

/** The job and the content of one item. */
type Item<Content> =
  | { readonly jobId: number; readonly content: Content }
  | { readonly jobId: number | null; readonly refusal: Refusal }

/** One of `deliveries`. Plain items are read by hand, with the same result as the schema at a tenth of the cost. */
export function deliveryItem(input: unknown): Item<Delivery> {
  if (isJsonObject(input)) {
    const delivery = plainDelivery(input)
    if (delivery) return { jobId: input['jobId'] as number, content: delivery }
  }
  return anyDelivery(input)
}

/** One of `series`, read in the same way. */
export function seriesItem(input: unknown): Item<SampleSeries> {
  if (isJsonObject(input)) {
    const run = plainRun(input)
    if (run) return { jobId: input['jobId'] as number, content: run }
  }
  return anyRun(input)
}

/** One of `rounds`, read in the same way. */
export function roundItem(input: unknown): Round | Refusal {
  return (isJsonObject(input) ? plainRound(input) : null) ?? anyRound(input)
}

/** Reads any item with the schema. */
export function anyDelivery(input: unknown): Item<Delivery> {
  if (!isJsonObject(input))
    return { jobId: null, refusal: invalid([{ pointer: '', message: 'must be an object' }]) }
  const { jobId: given, ...rest } = input
  const jobId = jobIdOf(given)
  const result = deliveryBody.safeParse(rest)
  const faults = [...prototypeFaults(input), ...(result.error?.issues ?? []).map(faultOf)]
  if (jobId === null) return { jobId, refusal: invalid([NO_JOB, ...faults]) }
  if (!result.success || faults.length > 0) return { jobId, refusal: invalid(faults) }
  return { jobId, content: deliveryOf(result.data) }
}

/** Reads any item with the schema. */
export function anyRun(input: unknown): Item<SampleSeries> {
  const result = seriesBody.safeParse(input)
  if (result.success) {
    const { jobId, key, timestamps, values } = result.data
    return { jobId, content: { key, at: timestamps, values } }
  }
  const jobId = isJsonObject(input) ? jobIdOf(input['jobId']) : null
  return { jobId, refusal: invalid(result.error.issues.flatMap(faultsOf)) }
}

/** Reads any item with the schema. */
export function anyRound(input: unknown): Round | Refusal {
  const result = roundBody.safeParse(input)
  if (!result.success) return invalid(result.error.issues.flatMap(faultsOf))
  const { key, timestamp, jobIds, values } = result.data
  return { key, timestampAt: timestamp ?? null, jobIds, values }
}

/** Null for all items that are not simple and certainly acceptable. */
function plainDelivery(item: JsonObject): Delivery | null {
  const values: Record<string, Value> = {}
  let errorCode: number | null = null
  let timestampAt: number | null = null
  let isEmpty = true
  if (jobIdOf(item['jobId']) === null) return null
  for (const key in item) {
    const value = item[key]
    if (key === 'jobId') continue
    if (!isPlainField(key, value)) return null
    if (key === 'errorCode') errorCode = value as number
    else if (key === 'timestamp') timestampAt = parseInstant(value as string)
    else values[key] = value as Value
    if (key !== 'timestamp') isEmpty = false
  }
  if (isEmpty) return null
  return { signal: 'result', values, errorCode, timestampAt, message: null, ttlMs: null, runId: null }
}

function plainRun(item: JsonObject): SampleSeries | null {
  const { jobId, key, timestamps, values } = item
  if (jobIdOf(jobId) === null || typeof key !== 'string' || Object.keys(item).length !== 4) return null
  if (!areColumns(timestamps, values) || !timestamps.every(Number.isSafeInteger)) return null
  return fits(key, values) ? { key, at: timestamps as number[], values } : null
}

function plainRound(item: JsonObject): Round | null {
  const { key, timestamp = null, jobIds, values } = item
  const isDated = Object.hasOwn(item, 'timestamp')
  if (typeof key !== 'string' || Object.keys(item).length !== (isDated ? 4 : 3)) return null
  if (isDated && !Number.isSafeInteger(timestamp)) return null
  if (!areColumns(jobIds, values) || !jobIds.every((id) => jobIdOf(id) !== null)) return null
  return fits(key, values)
    ? { key, timestampAt: timestamp as number | null, jobIds: jobIds as number[], values }
    : null
}

/** Whether a column of integers and a column of values have the same length, within the limit. */
function areColumns(integers: unknown, values: unknown): integers is readonly unknown[] {
  if (!Array.isArray(integers) || !Array.isArray(values)) return false
  return integers.length > 0 && integers.length <= RUN_SAMPLES_MAX && integers.length === values.length
}

/** Whether the values are of the key's type. */
function fits(key: string, values: unknown): values is Value[] {
  if (!Array.isArray(values)) return false
  return areNumbers(key) ? values.every(isNumber) : areTexts(key) && fitTogether(values)
}

function fitTogether(values: readonly unknown[]): boolean {
  let length = 0
  for (const value of values) {
    if (!isText(value)) return false
    length += value.length
  }
  return length <= RUN_TEXT_MAX
}

type Issue = {
  readonly path: readonly PropertyKey[]
  readonly message: string
  readonly keys?: readonly string[]
}

function faultsOf(issue: Issue): Fault[] {
  if (issue.keys === undefined) return [faultOf(issue)]
  return issue.keys.map((key) => ({ pointer: pointerOf([key]), message: 'is not a known field' }))
}

function faultOf({ path, message }: Issue): Fault {
  return { pointer: pointerOf(path), message }
}

const NO_JOB: Fault = { pointer: '/jobId', message: 'must be the id of a job' }

/** zod drops this key of an open object, and would accept it silently. */
function prototypeFaults(input: JsonObject): Fault[] {
  return Object.hasOwn(input, '__proto__') ? [{ pointer: '/__proto__', message: 'is not a known field' }] : []
}

function invalid(faults: readonly Fault[]): Refusal {
  return new Refusal('invalid', 'The item is invalid; see errors.', faults)
}
